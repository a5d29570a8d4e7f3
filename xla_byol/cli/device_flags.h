// Flags that several programs share: on which devices.

#ifndef XLA_BYOL_CLI_DEVICE_FLAGS_H_
#define XLA_BYOL_CLI_DEVICE_FLAGS_H_

#include <string>

#include "absl/flags/declare.h"
#include "absl/status/statusor.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/platform.h"

ABSL_DECLARE_FLAG(std::string, platform);
ABSL_DECLARE_FLAG(int, devices);
ABSL_DECLARE_FLAG(std::string, plugin);

namespace xla_byol {

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

#endif  // XLA_BYOL_CLI_DEVICE_FLAGS_H_
