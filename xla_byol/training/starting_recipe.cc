#include "xla_byol/training/starting_recipe.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace xla_byol {
namespace {

// The first that fits, so larger data come first.
constexpr StartingRecipe kRecipes[] = {
    // 400,000 images of 64 pixels take two cores about ten minutes.
    {.config = "configs/starting/cpu.textproto",
     .summary = "a small ResNet for a CPU",
     .for_cpu = true,
     .from_images = 0,
     .smallest_image = 48,
     .largest_image = 64,
     .batch_size = 64,
     .images_shown = 400'000,
     .fewest_epochs = 2,
     .most_epochs = 200},
    {.config = "configs/starting/medium.textproto",
     .summary = "ResNet-50 with the paper's settings",
     .for_cpu = false,
     .from_images = 100'000,
     .smallest_image = 24,
     .largest_image = 224,
     .batch_size = 1024,
     .images_shown = 100'000'000,
     .fewest_epochs = 100,
     .most_epochs = 300},
    // As long as 200 epochs of CIFAR-10.
    {.config = "configs/starting/small.textproto",
     .summary = "ResNet-18 for small data",
     .for_cpu = false,
     .from_images = 0,
     .smallest_image = 24,
     .largest_image = 224,
     .batch_size = 256,
     .images_shown = 10'000'000,
     .fewest_epochs = 100,
     .most_epochs = 800},
};

// Below this the usual stem leaves the first stage too few pixels.
constexpr int kSmallStemBelow = 64;

constexpr double kWarmupShare = 0.1;

// Of the training images, as many vote for the class of another.
constexpr int64_t kNeighbourShare = 50;
constexpr int64_t kMostNeighbours = 200;

}  // namespace

absl::Span<const StartingRecipe> StartingRecipes() { return kRecipes; }

const StartingRecipe& ChooseRecipe(bool for_cpu, int64_t train_images) {
  for (const StartingRecipe& recipe : kRecipes) {
    if (recipe.for_cpu == for_cpu && train_images >= recipe.from_images) {
      return recipe;
    }
  }
  return kRecipes[0];
}

bool NeedsSurvey(const Config& config) {
  const Data& data = config.data();
  return data.has_dataset() &&
         !(data.has_test_split() && data.has_image_size() &&
           data.has_classes() && data.has_train_images() &&
           !data.mean().empty() && !data.stddev().empty());
}

void ForgetDataset(Config* config) {
  if (!config->has_data()) return;
  Data* data = config->mutable_data();
  data->clear_dataset();
  data->clear_train_split();
  data->clear_test_split();
  data->clear_train_images();
  data->clear_classes();
  data->clear_channels();
  data->clear_mean();
  data->clear_stddev();
}

void FillFromData(const input::DatasetSurvey& survey, Config* config) {
  Data* data = config->mutable_data();
  data->set_dataset(survey.folder);
  data->set_train_split(survey.train_split);
  data->set_test_split(survey.test_split);
  if (!data->has_train_images()) data->set_train_images(survey.train_images);
  if (!data->has_classes()) {
    data->set_classes(static_cast<int>(survey.classes));
  }
  if (!data->has_image_size()) data->set_image_size(survey.shorter_side);
  // Numbers that were given have the channels' count.
  if (!data->mean().empty() || !data->stddev().empty()) return;
  if (!data->has_channels()) data->set_channels(survey.channels);
  if (data->channels() != survey.channels) return;  // ImageNet's then
  data->mutable_mean()->Add(survey.mean.begin(), survey.mean.end());
  data->mutable_stddev()->Add(survey.stddev.begin(), survey.stddev.end());
}

void FillFromRecipe(const StartingRecipe& recipe,
                    const input::DatasetSurvey& survey, int devices,
                    Config* config) {
  Data* data = config->mutable_data();
  if (!data->has_image_size()) {
    data->set_image_size(std::clamp(survey.shorter_side, recipe.smallest_image,
                                    recipe.largest_image));
  }
  if (!recipe.for_cpu && !config->model().has_stem() &&
      data->image_size() < kSmallStemBelow) {
    config->mutable_model()->set_stem(Model::SMALL);
  }
  Schedule* schedule = config->mutable_schedule();
  if (!schedule->has_batch_size()) {
    const int64_t most =
        std::min<int64_t>(recipe.batch_size, survey.train_images);
    schedule->set_batch_size(
        static_cast<int>(std::max<int64_t>(most / devices, 1) * devices));
  }
  if (!schedule->has_epochs()) {
    const double epochs = static_cast<double>(recipe.images_shown) /
                          static_cast<double>(survey.train_images);
    schedule->set_epochs(static_cast<float>(std::round(
        std::clamp(epochs, recipe.fewest_epochs, recipe.most_epochs))));
  }
  if (!schedule->has_warmup_epochs()) {
    schedule->set_warmup_epochs(
        static_cast<float>(kWarmupShare * schedule->epochs()));
  }
  if (!config->evaluation().has_neighbours()) {
    config->mutable_evaluation()->set_neighbours(
        static_cast<int>(std::clamp<int64_t>(
            survey.train_images / kNeighbourShare, 1, kMostNeighbours)));
  }
}

std::string Describe(const input::DatasetSurvey& survey) {
  return absl::StrCat(
      survey.train_images, " training and ", survey.test_images, " test images",
      survey.held_out ? " (held out, there is no test split)" : "", ", ",
      survey.classes > 0 ? absl::StrCat(survey.classes, " classes")
                         : "no labels",
      ", ", survey.channels == 1 ? "gray" : "colour", ", ", survey.shorter_side,
      " pixels (median of the shorter sides)",
      survey.left_out.empty() ? "" : "; not read: ", survey.left_out);
}

}  // namespace xla_byol
