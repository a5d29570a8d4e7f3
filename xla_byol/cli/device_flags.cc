#include "xla_byol/cli/device_flags.h"

#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"

ABSL_FLAG(std::string, platform, "cpu",
          xla_byol::pjrt::PlatformNames() +
              "; for export also none: nothing is compiled.");
ABSL_FLAG(int, devices, 0,
          "How many devices. CPU: virtual ones, 0 for one; TPU and GPU: 0 for "
          "all there are.");
ABSL_FLAG(std::string, plugin, "",
          "The PJRT plugin's file; empty: the one that Bazel fetched.");
ABSL_FLAG(std::string, executable_cache, "auto",
          "Where compiled programs are kept; auto: in the user's cache, empty: "
          "nowhere.");

namespace xla_byol {

absl::StatusOr<pjrt::Platform> PlatformFromFlags() {
  return pjrt::PlatformFromName(absl::GetFlag(FLAGS_platform));
}

absl::StatusOr<const pjrt::Plugin*> PluginFromFlags() {
  ASSIGN_OR_RETURN(const pjrt::Platform platform, PlatformFromFlags());
  const std::string path = absl::GetFlag(FLAGS_plugin);
  return pjrt::Plugin::Load(platform,
                            path.empty() ? path : ResolveUserPath(path));
}

std::string ExecutableCacheDirectory() {
  const std::string folder = absl::GetFlag(FLAGS_executable_cache);
  if (folder == "auto") return JoinPath(CacheDirectory(), "executables");
  return folder.empty() ? folder : ResolveUserPath(folder);
}

absl::StatusOr<pjrt::Client> ClientFromFlags(pjrt::ClientOptions options) {
  const int devices = absl::GetFlag(FLAGS_devices);
  if (devices < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--devices=", devices, ": it must be 0 or more"));
  }
  ASSIGN_OR_RETURN(const pjrt::Plugin* plugin, PluginFromFlags());
  options.cpu_device_count = devices == 0 ? 1 : devices;
  ASSIGN_OR_RETURN(pjrt::Client client, pjrt::Client::Create(*plugin, options));
  if (devices != 0 && devices != client.program_replicas()) {
    return absl::InvalidArgumentError(absl::StrCat("--devices=", devices,
                                                   ": this platform has ",
                                                   client.program_replicas()));
  }
  return client;
}

}  // namespace xla_byol
