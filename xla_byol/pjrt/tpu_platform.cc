// Google's TPUs, through libtpu.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/platform_rows.h"

namespace xla_byol::pjrt {
namespace {

// A PCI device of Google's; off Google's cloud there is none.
bool HasGoogleDevice() {
  std::error_code ignored;
  for (const auto& device :
       std::filesystem::directory_iterator("/sys/bus/pci/devices", ignored)) {
    std::ifstream file(device.path() / "vendor");
    std::string vendor;
    if (file >> vendor && vendor == "0x1ae0") return true;
  }
  return false;
}

// Without the hardware libtpu would wait for a metadata server that no one
// runs.
void PrepareLibtpu() {
  if (HasGoogleDevice()) return;
  setenv("TPU_SKIP_MDS_QUERY", "1", 0);
  // The lock file keeps two processes off one TPU; there is none to keep off.
  setenv("ALLOW_MULTIPLE_LIBTPU_LOAD", "1", 0);
  // Any slice will do: without a name libtpu complains on stderr.
  setenv("TPU_ACCELERATOR_TYPE", "v3-8", 0);
  setenv("TPU_WORKER_HOSTNAMES", "localhost", 0);
}

absl::StatusOr<NamedValues> TpuClientOptions(const ClientOptions&) {
  return NamedValues{};
}

// A generation begins with v and a digit: "v5e:4x4".
bool IsTpuTopology(absl::string_view name) {
  return name.size() > 1 && name[0] == 'v' &&
         absl::ascii_isdigit(static_cast<unsigned char>(name[1]));
}

// The two cores of these generations' chips work as one device, as the real
// machines are set up; libtpu's own default splits them.
absl::StatusOr<NamedValues> TpuTopologyOptions(const std::string& name) {
  if (absl::StartsWith(name, "v4:") || absl::StartsWith(name, "v5p:")) {
    return NamedValues{{"chip_config_name", "megacore"}};
  }
  return NamedValues{};
}

}  // namespace

constinit const PlatformInfo kTpuPlatform = {
    .platform = Platform::kTpu,
    .name = "tpu",
    .client_name = "tpu",
    .path_variables = {"PJRT_PLUGIN_PATH", "TPU_LIBRARY_PATH", nullptr},
    .runfile = "libtpu/libtpu.so",
    .label = "@pjrt_tpu//:plugin",
    .in_every_build = false,
    .host_instructions = false,
    .hardware_present = HasGoogleDevice,
    .prepare_environment = PrepareLibtpu,
    .client_options = TpuClientOptions,
    .has_topology = IsTpuTopology,
    .topology_options = TpuTopologyOptions,
    .topology_example = "v3:8x8",
    .topology_hint =
        "use GENERATION:CHIPS such as v3:8x8 (128 cores), "
        "v4:2x2x1 or v5e:4x4",
    .required_flags = {},
};

}  // namespace xla_byol::pjrt
