#include "xla_byol/cli/destination_flags.h"

#include <algorithm>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/cli/device_flags.h"
#include "xla_byol/pjrt/platform.h"
#include "xla_byol/pjrt/plugin.h"

namespace xla_byol {

absl::StatusOr<Destination> DestinationFromFlags(const std::string& topology) {
  if (absl::GetFlag(FLAGS_platform) != "none") {
    if (topology.empty()) {
      absl::StatusOr<pjrt::Client> client = ClientFromFlags();
      if (absl::IsFailedPrecondition(client.status())) {
        return absl::FailedPreconditionError(absl::StrCat(
            client.status().message(),
            "; --topology=v3:8x8 or a100:8 says what to compile for"));
      }
      RETURN_IF_ERROR(client.status());
      return ForClient(*std::move(client));
    }
    ASSIGN_OR_RETURN(const pjrt::Plugin* plugin, PluginFromFlags());
    ASSIGN_OR_RETURN(Destination destination, ForTopology(*plugin, topology));
    destination.cache_directory = ExecutableCacheDirectory();
    return destination;
  }
  if (topology.empty()) {
    return ForNobody(std::max(absl::GetFlag(FLAGS_devices), 1));
  }
  ASSIGN_OR_RETURN(const pjrt::Platform platform,
                   pjrt::PlatformOfTopology(topology));
  ASSIGN_OR_RETURN(const pjrt::Plugin* plugin, pjrt::Plugin::Load(platform));
  ASSIGN_OR_RETURN(Destination destination, ForTopology(*plugin, topology));
  return WithoutCompiler(std::move(destination));
}

}  // namespace xla_byol
