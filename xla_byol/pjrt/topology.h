// Machines that need not be here: compile for a TPU pod or a GPU without one.

#ifndef XLA_BYOL_PJRT_TOPOLOGY_H_
#define XLA_BYOL_PJRT_TOPOLOGY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/pjrt/compile_options.h"
#include "xla_byol/pjrt/device.h"
#include "xla_byol/pjrt/executable.h"
#include "xla_byol/pjrt/plugin.h"

namespace xla_byol::pjrt {

// The platform that has topologies of such a name: "v3:8x8" is a TPU's.
absl::StatusOr<Platform> PlatformOfTopology(absl::string_view name);

// Move-only description of devices and how they are connected.
class Topology {
 public:
  // Names:
  //  - TPU: generation and chips, as libtpu has them: "v3:8x8" (128 cores),
  //    "v2:4x4", "v4:2x2x1", "v5e:4x4", "v6e:8x8".
  //  - GPU: a target of GpuTargets() and a number of devices in one machine:
  //    "a100:2", "h100:8".
  //  - CPU: UNIMPLEMENTED, as the plugin compiles only for its own machine.
  // A name that stands for nothing is INVALID_ARGUMENT, with what is known.
  static absl::StatusOr<Topology> Create(const Plugin& plugin,
                                         const std::string& name);

  const Plugin& plugin() const { return *plugin_; }
  const std::string& name() const { return name_; }
  const std::vector<DeviceDescription>& devices() const { return devices_; }

  // Compiles StableHLO for this topology; options.num_replicas is usually
  // devices().size(). The result can be inspected and serialized, not run.
  absl::StatusOr<Executable> Compile(absl::string_view program,
                                     const CompileOptions& options) const;

 private:
  Topology(const Plugin& plugin, std::string name,
           PJRT_TopologyDescription* topology)
      : plugin_(&plugin),
        name_(std::move(name)),
        handle_(topology, {&plugin.api()}) {}

  const Plugin* plugin_;
  std::string name_;
  Handle<PJRT_TopologyDescription, PJRT_TopologyDescription_Destroy_Args,
         &PJRT_Api::PJRT_TopologyDescription_Destroy,
         &PJRT_TopologyDescription_Destroy_Args::topology>
      handle_;
  std::vector<DeviceDescription> devices_;
};

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_TOPOLOGY_H_
