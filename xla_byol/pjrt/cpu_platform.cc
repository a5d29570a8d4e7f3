// The CPU, as a plugin that compiles for the machine it runs on.

#include <cstdint>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/platform_rows.h"

namespace xla_byol::pjrt {
namespace {

// XNNPACK packs a parameter that is the right side of a product once, and takes
// the packed numbers again for as long as the parameter's address stays the
// same. State that is donated and updated in place keeps its address, so a step
// would compute with weights of long ago. (Seen on CPUs with AVX-512; XLA's
// other products are as fast.)
constexpr RequiredFlag kFlags[] = {{"xla_cpu_use_xnnpack", false}};

absl::StatusOr<NamedValues> CpuClientOptions(const ClientOptions& options) {
  if (options.cpu_device_count < 1) {
    return absl::InvalidArgumentError(absl::StrCat("cpu_device_count is ",
                                                   options.cpu_device_count,
                                                   ", must be 1 or more"));
  }
  // The plugin has no option for it, but reads this when it makes a client.
  if (options.cpu_threads > 0) {
    setenv("PJRT_NPROC", absl::StrCat(options.cpu_threads).c_str(),
           /*overwrite=*/0);
  }
  return NamedValues{{"cpu_device_count", int64_t{options.cpu_device_count}}};
}

absl::StatusOr<NamedValues> NoTopologyOptions(const std::string&) {
  return NamedValues{};
}

}  // namespace

constinit const PlatformInfo kCpuPlatform = {
    .platform = Platform::kCpu,
    .name = "cpu",
    .client_name = "cpu",
    .path_variables = {"PJRT_PLUGIN_PATH", nullptr, nullptr},
    .runfile = "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
    .label = "@pjrt_cpu//:plugin",
    .in_every_build = true,
    .host_instructions = true,
    .hardware_present = [] { return true; },
    .prepare_environment = [] {},
    .client_options = CpuClientOptions,
    .has_topology = [](absl::string_view) { return false; },
    .topology_options = NoTopologyOptions,
    .topology_example = nullptr,
    .topology_hint =
        "the CPU plugin compiles for this machine only; use a Client",
    .required_flags = kFlags,
};

}  // namespace xla_byol::pjrt
