#include "xla_byol/cli/train_config.h"

#include <optional>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/progress.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/cli/config_flags.h"
#include "xla_byol/input/survey.h"
#include "xla_byol/pjrt/plugin_search.h"
#include "xla_byol/settings/settings.h"
#include "xla_byol/training/starting_recipe.h"

namespace xla_byol {
namespace {

constexpr char kDemoConfig[] = "configs/fashion_mnist_ns.textproto";

absl::StatusOr<input::DatasetSurvey> Survey(const Data& data,
                                            const std::string& data_dir) {
  Phase phase("looking at the data");
  input::SurveyOptions options;
  options.open.data_dir = data_dir;
  options.open.indexing = [&phase](int64_t done, int64_t total) {
    phase.SetProgress(done, total);
  };
  options.progress = options.open.indexing;
  if (data.has_train_split()) options.train_split = data.train_split();
  if (data.has_test_split()) options.test_split = data.test_split();
  ASSIGN_OR_RETURN(input::DatasetSurvey survey,
                   input::SurveyDataset(data.dataset(), options));
  phase.SetNote(Describe(survey));
  return survey;
}

// `text` with --dataset and --set.
absl::StatusOr<Config> ConfigOf(const std::string& text,
                                const std::string& source,
                                const CommandLine& line,
                                const std::string& dataset) {
  ASSIGN_OR_RETURN(Config config, ParseConfig(text, source));
  if (!dataset.empty()) {
    ForgetDataset(&config);
    config.mutable_data()->set_dataset(dataset);
  }
  RETURN_IF_ERROR(SetConfigFields(line.assignments, &config));
  return config;
}

absl::StatusOr<Config> RecipeConfig(const StartingRecipe& recipe,
                                    const input::DatasetSurvey& survey,
                                    const CommandLine& line,
                                    const TrainConfigOptions& options) {
  const std::string file = pjrt::FindRunfile(recipe.config);
  ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  ASSIGN_OR_RETURN(Config config,
                   ConfigOf(text, recipe.config, line, options.dataset));
  FillFromRecipe(recipe, survey, options.devices, &config);
  LogInfo(absl::StrCat("recipe: ", recipe.summary, " (", recipe.config, "), ",
                       config.data().image_size(), " pixels, batch ",
                       config.schedule().batch_size(), ", ",
                       config.schedule().epochs(),
                       " epochs; --set=schedule.epochs=N changes that, "
                       "docs/getting-started.md has more"));
  return config;
}

}  // namespace

absl::StatusOr<Config> TrainConfigFromFlags(const CommandLine& line,
                                            const TrainConfigOptions& options) {
  const bool has_config = !absl::GetFlag(FLAGS_config).empty();
  if (!has_config && options.dataset.empty()) {
    absl::SetFlag(&FLAGS_config, pjrt::FindRunfile(kDemoConfig));
  }
  ASSIGN_OR_RETURN(const std::string text, ConfigTextFromFlags());
  ASSIGN_OR_RETURN(Config config, ConfigOf(text, absl::GetFlag(FLAGS_config),
                                           line, options.dataset));
  std::string name = "default";
  if (NeedsSurvey(config)) {
    ASSIGN_OR_RETURN(const input::DatasetSurvey survey,
                     Survey(config.data(), options.data_dir));
    name = survey.name;
    if (!has_config && !options.dataset.empty()) {
      const StartingRecipe& recipe =
          ChooseRecipe(options.for_cpu, survey.train_images);
      ASSIGN_OR_RETURN(config, RecipeConfig(recipe, survey, line, options));
    }
    FillFromData(survey, &config);
  }
  ResolveConfig(&config);
  NameConfig(name, &config);
  RETURN_IF_ERROR(ValidateConfig(config, options.devices));
  return config;
}

}  // namespace xla_byol
