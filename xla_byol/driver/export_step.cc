#include "xla_byol/driver/export_step.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/byol/train_step.h"
#include "xla_byol/driver/flags.h"
#include "xla_byol/driver/step_json.h"
#include "xla_byol/pjrt/hlo_text.h"
#include "xla_byol/pjrt/topology.h"

namespace xla_byol {
namespace {

// Somewhere to compile for: nothing, a topology, or this machine's devices.
struct Destination {
  std::optional<pjrt::Topology> topology;
  std::optional<pjrt::Client> client;
  graph::Target target = graph::Target::kTpu;
  int devices = 1;
};

absl::StatusOr<Destination> OpenDestination(const std::string& topology) {
  Destination destination;
  if (absl::GetFlag(FLAGS_platform) == "none") {
    destination.devices = std::max(absl::GetFlag(FLAGS_devices), 1);
    return destination;
  }
  ASSIGN_OR_RETURN(const pjrt::Platform platform, PlatformFromFlags());
  destination.target = TargetOf(platform);
  if (topology.empty()) {
    ASSIGN_OR_RETURN(destination.client, ClientFromFlags());
    destination.devices = destination.client->global_device_count();
    return destination;
  }
  ASSIGN_OR_RETURN(const pjrt::Plugin* plugin, PluginFromFlags());
  ASSIGN_OR_RETURN(destination.topology,
                   pjrt::Topology::Create(*plugin, topology));
  destination.devices =
      static_cast<int>(destination.topology->devices().size());
  return destination;
}

std::optional<double> CostOf(const pjrt::NamedValues& costs,
                             const std::string& name) {
  const auto found = costs.find(name);
  if (found == costs.end()) return std::nullopt;
  const float* value = std::get_if<float>(&found->second);
  return value == nullptr ? std::nullopt : std::optional<double>(*value);
}

// What the compiler says about its result; a plugin that does not say leaves
// gaps, which are no errors.
void Describe(const pjrt::Executable& executable, StepReport& report,
              std::string& optimized) {
  if (auto program = executable.Optimized(); program.ok()) {
    if (auto text = pjrt::HloText(*program); text.ok()) {
      optimized = *std::move(text);
    }
  }
  if (auto memory = executable.Memory(); memory.ok()) report.memory = *memory;
  if (auto costs = executable.Cost(); costs.ok()) {
    report.flops = CostOf(*costs, "flops");
    report.bytes_accessed = CostOf(*costs, "bytes accessed");
    report.optimal_seconds = CostOf(*costs, "optimal_seconds");
  }
}

absl::Status CompileInto(const Destination& destination,
                         const std::string& program, StepReport& report,
                         std::string& optimized) {
  const pjrt::CompileOptions options{.num_replicas = destination.devices};
  const absl::Time start = absl::Now();
  if (destination.topology.has_value()) {
    ASSIGN_OR_RETURN(const pjrt::Executable executable,
                     destination.topology->Compile(program, options));
    report.compile_seconds = absl::ToDoubleSeconds(absl::Now() - start);
    Describe(executable, report, optimized);
  } else if (destination.client.has_value()) {
    ASSIGN_OR_RETURN(const pjrt::LoadedExecutable executable,
                     destination.client->Compile(program, options));
    report.compile_seconds = absl::ToDoubleSeconds(absl::Now() - start);
    Describe(executable.executable(), report, optimized);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ExportStep(const CommandLine& line, const std::string& topology,
                        const std::string& out_dir) {
  ASSIGN_OR_RETURN(const Destination destination, OpenDestination(topology));
  ASSIGN_OR_RETURN(const Config config,
                   ConfigFromFlags(line, destination.devices));
  StepReport report{.platform = absl::GetFlag(FLAGS_platform),
                    .topology = topology,
                    .devices = destination.devices};
  const absl::Time start = absl::Now();
  ASSIGN_OR_RETURN(const StepProgram step,
                   BuildTrainStep(config, {.replicas = destination.devices,
                                           .target = destination.target}));
  report.build_seconds = absl::ToDoubleSeconds(absl::Now() - start);

  const std::string folder = ResolveUserPath(out_dir);
  RETURN_IF_ERROR(MakeDirectories(folder));
  RETURN_IF_ERROR(
      WriteFileAtomically(JoinPath(folder, "step.mlir"), step.program.text));
  LogInfo(absl::StrFormat("built the step in %.2f s (%.1f MB of StableHLO)",
                          report.build_seconds,
                          static_cast<double>(step.program.text.size()) / 1e6));
  std::string optimized;
  RETURN_IF_ERROR(
      CompileInto(destination, step.program.text, report, optimized));
  if (!optimized.empty()) {
    RETURN_IF_ERROR(
        WriteFileAtomically(JoinPath(folder, "optimized.hlo.txt"), optimized));
  }
  if (report.compile_seconds.has_value()) {
    LogInfo(absl::StrFormat("compiled it for %d devices in %.1f s",
                            report.devices, *report.compile_seconds));
  }
  if (report.memory.has_value()) {
    LogInfo(absl::StrFormat(
        "memory per device: %.3f GB temporaries, %.3f GB arguments, of which "
        "%.3f GB are updated in place",
        static_cast<double>(report.memory->temp_bytes) / 1e9,
        static_cast<double>(report.memory->argument_bytes) / 1e9,
        static_cast<double>(report.memory->alias_bytes) / 1e9));
  }
  RETURN_IF_ERROR(WriteFileAtomically(JoinPath(folder, "step.json"),
                                      StepJson(config, step, report)));
  LogInfo(absl::StrCat("wrote ", folder));
  return absl::OkStatus();
}

}  // namespace xla_byol
