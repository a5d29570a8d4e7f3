#include "xla_byol/pjrt/topology.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/pjrt/program.h"

namespace xla_byol::pjrt {
absl::StatusOr<Topology> Topology::Create(const Plugin& plugin,
                                          const std::string& name) {
  const Api& api = plugin.api();
  const PlatformInfo& info = Info(plugin.platform());
  // libtpu takes no name for "the machine I am on".
  if (name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no topology given: ", info.topology_hint));
  }
  ASSIGN_OR_RETURN(const NamedValues options, info.topology_options(name));
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
        absl::StrCat("no ", info.name, " topology '", name,
                     "': ", info.topology_hint, " (", created.message(), ")"));
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
