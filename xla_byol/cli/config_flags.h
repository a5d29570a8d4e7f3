// The flag --config, for programs that start from a config.

#ifndef XLA_BYOL_CLI_CONFIG_FLAGS_H_
#define XLA_BYOL_CLI_CONFIG_FLAGS_H_

#include <string>

#include "absl/flags/declare.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/config/config.h"

ABSL_DECLARE_FLAG(std::string, config);

namespace xla_byol {

// The text of --config; empty without one.
absl::StatusOr<std::string> ConfigTextFromFlags();

// The name of a config that has none: its file's, or else `otherwise`.
void NameConfig(const std::string& otherwise, Config* config);

// The config that --config and --set describe, resolved but not checked: that
// needs a number of devices.
absl::StatusOr<Config> UncheckedConfigFromFlags(const CommandLine& line);

// The same, checked for `devices` devices; with a `batch` (--batch) that many
// images over all of them.
absl::StatusOr<Config> ConfigFromFlags(const CommandLine& line, int devices,
                                       int batch = 0);

// Refuses a config for another data set than ImageNet that leaves open what
// `train` reads from the data. For programs that do not read data.
absl::Status CheckDataDescribed(const Config& config);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_CONFIG_FLAGS_H_
