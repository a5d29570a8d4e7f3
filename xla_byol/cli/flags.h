// Flags that several programs share: which config, on which devices.

#ifndef XLA_BYOL_CLI_FLAGS_H_
#define XLA_BYOL_CLI_FLAGS_H_

#include <string>

#include "absl/flags/declare.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/config/config.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/platform.h"

ABSL_DECLARE_FLAG(std::string, config);
ABSL_DECLARE_FLAG(std::string, platform);
ABSL_DECLARE_FLAG(int, devices);
ABSL_DECLARE_FLAG(std::string, plugin);

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

// --platform as the runtime knows it.
absl::StatusOr<pjrt::Platform> PlatformFromFlags();

// The plugin of --platform, from --plugin or wherever it is found. It lives as
// long as the process.
absl::StatusOr<const pjrt::Plugin*> PluginFromFlags();

// Where --executable_cache keeps compiled programs; empty: nowhere.
std::string ExecutableCacheDirectory();

// A client with --devices devices. On CPU they are virtual and 0 means 1; on
// TPU and GPU 0 means all, and another number must be theirs.
absl::StatusOr<pjrt::Client> ClientFromFlags(pjrt::ClientOptions options = {});

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_FLAGS_H_
