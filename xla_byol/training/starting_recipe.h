// Settings that follow from the data, for a user who has no config: what a
// survey of the data set found, and a recipe to begin with.

#ifndef XLA_BYOL_TRAINING_STARTING_RECIPE_H_
#define XLA_BYOL_TRAINING_STARTING_RECIPE_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/input/survey.h"

namespace xla_byol {

// A config to begin with, and how the rest follows from the data.
struct StartingRecipe {
  const char* config;   // configs/...
  const char* summary;  // "a small ResNet for a CPU"
  bool for_cpu;
  int64_t from_images;   // the recipe is for so many training images or more
  int smallest_image;    // pixels; smaller images are enlarged to it
  int largest_image;     // and larger ones made smaller
  int batch_size;        // fewer if there are fewer images
  int64_t images_shown;  // in the whole training, within the next two
  double fewest_epochs;
  double most_epochs;
};

absl::Span<const StartingRecipe> StartingRecipes();

// The recipe for this many training images on such devices.
const StartingRecipe& ChooseRecipe(bool for_cpu, int64_t train_images);

// Whether a data set must be looked at: a config that names one leaves some of
// what FillFromData fills unset.
bool NeedsSurvey(const Config& config);

// Takes what describes a data set out of a config, so that it can be used with
// another one: name, splits, number of images and classes, channels, mean and
// stddev.
void ForgetDataset(Config* config);

// Fills what the config leaves unset: splits, number of images and classes,
// channels, mean and stddev, image size. Sets the data set's folder.
void FillFromData(const input::DatasetSurvey& survey, Config* config);

// Fills what else a recipe's config leaves to the data: image size and stem,
// batch size for `devices` devices, epochs, neighbours of k-NN. Before
// FillFromData.
void FillFromRecipe(const StartingRecipe& recipe,
                    const input::DatasetSurvey& survey, int devices,
                    Config* config);

// "5,400 training and 600 test images ..., 10 classes, gray, 28 pixels".
std::string Describe(const input::DatasetSurvey& survey);

}  // namespace xla_byol

#endif  // XLA_BYOL_TRAINING_STARTING_RECIPE_H_
