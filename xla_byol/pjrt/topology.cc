#include "xla_byol/pjrt/topology.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/pjrt/gpu_targets.h"
#include "xla_byol/pjrt/program.h"

namespace xla_byol::pjrt {
namespace {

// What a user may try instead of a name that stands for nothing.
absl::string_view Hint(Platform platform) {
  switch (platform) {
    case Platform::kTpu:
      return "use GENERATION:CHIPS such as v3:8x8 (128 cores), v4:2x2x1 or "
             "v5e:4x4";
    case Platform::kGpu:
      return "use TARGET:DEVICES such as a100:8";
    case Platform::kCpu:
      break;
  }
  return "the CPU plugin compiles for this machine only; use a Client";
}

absl::StatusOr<NamedValues> TopologyOptions(Platform platform,
                                            const std::string& name) {
  if (platform == Platform::kGpu) return GpuTopologyOptions(name);
  // The two cores of these generations' chips work as one device, as the real
  // machines are set up; libtpu's own default splits them.
  if (platform == Platform::kTpu &&
      (absl::StartsWith(name, "v4:") || absl::StartsWith(name, "v5p:"))) {
    return NamedValues{{"chip_config_name", "megacore"}};
  }
  return NamedValues{};
}

}  // namespace

absl::StatusOr<Platform> PlatformOfTopology(absl::string_view name) {
  return absl::StartsWith(name, "v") ? Platform::kTpu : Platform::kGpu;
}

absl::StatusOr<Topology> Topology::Create(const Plugin& plugin,
                                          const std::string& name) {
  const Api& api = plugin.api();
  // libtpu takes no name for "the machine I am on".
  if (name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no topology given: ", Hint(plugin.platform())));
  }
  ASSIGN_OR_RETURN(const NamedValues options,
                   TopologyOptions(plugin.platform(), name));
  const std::vector<PJRT_NamedValue> named = ToPjrt(options);
  Padded<PJRT_TopologyDescription_Create_Args> args;
  args.topology_name = name.data();
  args.topology_name_size = name.size();
  args.create_options = named.data();
  args.num_options = named.size();
  const absl::Status created =
      api.Call(&PJRT_Api::PJRT_TopologyDescription_Create, args);
  if (!created.ok()) {
    return absl::Status(
        created.code(),
        absl::StrCat("no ", Info(plugin.platform()).name, " topology '", name,
                     "': ", Hint(plugin.platform()), " (", created.message(),
                     ")"));
  }
  Topology topology(plugin, name, args.topology);
  Padded<PJRT_TopologyDescription_GetDeviceDescriptions_Args> devices;
  devices.topology = args.topology;
  RETURN_IF_ERROR(api.Call(
      &PJRT_Api::PJRT_TopologyDescription_GetDeviceDescriptions, devices));
  for (size_t i = 0; i < devices.num_descriptions; ++i) {
    ASSIGN_OR_RETURN(DeviceDescription device,
                     DeviceDescription::Read(api, devices.descriptions[i]));
    topology.devices_.push_back(std::move(device));
  }
  return topology;
}

absl::StatusOr<Executable> Topology::Compile(
    absl::string_view program, const CompileOptions& options) const {
  ASSIGN_OR_RETURN(std::string serialized,
                   options.Serialize(plugin_->platform()));
  Padded<PJRT_Program> source = MlirProgram(program);
  Padded<PJRT_Compile_Args> args;
  args.topology = handle_.get();
  args.program = &source;
  args.compile_options = serialized.data();
  args.compile_options_size = serialized.size();
  const Api* api = &plugin_->api();
  RETURN_IF_ERROR(
      CompileError(api->Call(&PJRT_Api::PJRT_Compile, args), program));
  return Executable(api, args.executable);
}

}  // namespace xla_byol::pjrt
