// Builds the step of a config and compiles it for somewhere.

#ifndef XLA_BYOL_INSPECT_STEP_COMPILER_H_
#define XLA_BYOL_INSPECT_STEP_COMPILER_H_

#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/inspect/hlo_program.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/topology.h"
#include "xla_byol/runtime/step_json.h"
#include "xla_byol/step/train_step.h"

namespace xla_byol {

// Somewhere to compile for: nothing, a topology, or this machine's devices.
struct Destination {
  std::string platform;  // cpu, tpu, gpu or none
  std::string topology_name;
  std::optional<pjrt::Topology> topology;
  std::optional<pjrt::Client> client;
  graph::Backend backend = graph::Backend::kTpu;
  int devices = 1;
  int processes = 1;  // one on each host of the machine
  // Where steps for topologies are kept (compiled_cache.h); empty: nowhere.
  std::string cache_directory;

  // Null if nothing is to be compiled.
  const pjrt::Plugin* plugin() const;
  std::string device_kind() const;
};

// Nothing is compiled; the step is built for `devices` devices.
Destination ForNobody(int devices);
// The client's devices, of all processes.
Destination ForClient(pjrt::Client client);
// A topology that the plugin's platform knows, with one replica per device.
absl::StatusOr<Destination> ForTopology(const pjrt::Plugin& plugin,
                                        const std::string& topology);
// The same devices and hosts as `destination`, but nothing is compiled.
Destination WithoutCompiler(Destination destination);

// How a library asks for a topology's destination: only the command line knows
// which plugin to take.
using OpenTopology =
    absl::FunctionRef<absl::StatusOr<Destination>(const std::string& topology)>;

// A step on its way from a config to an export's files.
struct ExportedStep {
  Config config;
  NamedProgram step;
  CompileReport report;
  std::string optimized;  // optimized.hlo.txt; empty where the plugin is silent
  std::optional<HloProgram> program;  // the same, to be analyzed
  std::string executable;             // serialized; empty where it cannot be
};

// Builds the step, without compiling.
absl::StatusOr<ExportedStep> BuildStep(const Config& config,
                                       const Destination& destination);

// Compiles it, with a line on stderr that counts the seconds, or takes what was
// compiled before from the cache. A step that does
// not fit the devices' memory is RESOURCE_EXHAUSTED with the sentence of
// memory_shortage.h.
absl::Status CompileStep(const Destination& destination, ExportedStep& step);

// Writes step.mlir, step.json and, where there are any, optimized.hlo.txt,
// inspect.json and step.executable.
absl::Status WriteStep(const std::string& folder, const ExportedStep& step);

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_STEP_COMPILER_H_
