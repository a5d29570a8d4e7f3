#include "xla_byol/cli/config_flags.h"

#include <filesystem>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/settings/settings.h"

ABSL_FLAG(
    std::string, config, "",
    "A textproto of xla_byol.Config; configs/ has many. --set=field=value "
    "overrides fields, as often as needed.");

namespace xla_byol {

absl::StatusOr<std::string> ConfigTextFromFlags() {
  const std::string path = absl::GetFlag(FLAGS_config);
  if (path.empty()) return std::string();
  absl::StatusOr<std::string> text = ReadFile(ResolveUserPath(path));
  if (text.ok()) return text;
  return absl::InvalidArgumentError(
      absl::StrCat("--config: ", text.status().message()));
}

void NameConfig(const std::string& otherwise, Config* config) {
  if (config->has_name()) return;
  const std::filesystem::path path = absl::GetFlag(FLAGS_config);
  config->set_name(path.empty() ? otherwise : path.stem().string());
}

absl::StatusOr<Config> UncheckedConfigFromFlags(const CommandLine& line) {
  ASSIGN_OR_RETURN(const std::string text, ConfigTextFromFlags());
  ASSIGN_OR_RETURN(Config config,
                   ParseConfig(text, absl::GetFlag(FLAGS_config)));
  RETURN_IF_ERROR(SetConfigFields(line.assignments, &config));
  ResolveConfig(&config);
  NameConfig("default", &config);
  return config;
}

absl::StatusOr<Config> ConfigFromFlags(const CommandLine& line, int devices,
                                       int batch) {
  ASSIGN_OR_RETURN(Config config, UncheckedConfigFromFlags(line));
  if (batch > 0) config.mutable_schedule()->set_batch_size(batch);
  RETURN_IF_ERROR(ValidateConfig(config, devices));
  return config;
}

absl::Status CheckDataDescribed(const Config& config) {
  const Data& data = config.data();
  if (!data.has_dataset()) return absl::OkStatus();  // the defaults are its
  std::vector<std::string> missing;
  if (!data.has_image_size()) missing.push_back("image_size");
  if (!data.has_classes()) missing.push_back("classes");
  if (!data.has_train_images()) missing.push_back("train_images");
  if (missing.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("config: data.", absl::StrJoin(missing, ", data."),
                   missing.size() == 1 ? " is" : " are",
                   " not set; only `train` reads that from the data (here '",
                   data.dataset(), "'): give --set=data.", missing[0],
                   "=N, or the config.textproto of a run"));
}

}  // namespace xla_byol
