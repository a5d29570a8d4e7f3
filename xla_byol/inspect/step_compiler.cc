#include "xla_byol/inspect/step_compiler.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "xla_byol/base/crc32c.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/progress.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/inspect/inspection.h"
#include "xla_byol/inspect/memory_shortage.h"
#include "xla_byol/pjrt/hlo_text.h"
#include "xla_byol/pjrt/platform.h"
#include "xla_byol/runtime/device_program.h"
#include "xla_byol/runtime/executable_file.h"
#include "xla_byol/runtime/process_place.h"

namespace xla_byol {
namespace {

std::optional<double> CostOf(const pjrt::NamedValues& costs,
                             const std::string& name) {
  const auto found = costs.find(name);
  if (found == costs.end()) return std::nullopt;
  const float* value = std::get_if<float>(&found->second);
  return value == nullptr ? std::nullopt : std::optional<double>(*value);
}

// What the compiler says about its result; a plugin that does not say leaves
// gaps, which are no errors.
void Describe(const Destination& destination,
              const pjrt::Executable& executable, ExportedStep& step) {
  if (auto program = executable.Optimized(); program.ok()) {
    if (auto text = pjrt::HloText(*program); text.ok()) {
      step.optimized = *std::move(text);
    }
    if (auto read = ReadHloProgram(*program); read.ok()) {
      step.program = *std::move(read);
    }
  }
  CompileReport& report = step.report;
  if (auto memory = executable.Memory(); memory.ok()) report.memory = *memory;
  if (auto costs = executable.Cost(); costs.ok()) {
    report.flops = CostOf(*costs, "flops");
    report.bytes_accessed = CostOf(*costs, "bytes accessed");
    report.optimal_seconds = CostOf(*costs, "optimal_seconds");
  }
  if (auto bytes = executable.Serialize(); bytes.ok()) {
    step.executable = *std::move(bytes);
    report.executable = {.plugin = PluginIdentity(*destination.plugin()),
                         .device_kind = destination.device_kind(),
                         .bytes = static_cast<int64_t>(step.executable.size()),
                         .crc32c = Crc32c(step.executable)};
  }
}

// Removes what an earlier export of something else left behind.
absl::Status WriteOrRemove(const std::string& path,
                           const std::string& content) {
  if (!content.empty()) return WriteFileAtomically(path, content);
  std::remove(path.c_str());
  return absl::OkStatus();
}

}  // namespace

const pjrt::Plugin* Destination::plugin() const {
  if (client.has_value()) return &client->plugin();
  return topology.has_value() ? &topology->plugin() : nullptr;
}

std::string Destination::device_kind() const {
  if (topology.has_value()) return topology->devices()[0].kind;
  return client.has_value() ? client->devices()[0].description().kind : "";
}

Destination ForNobody(int devices) {
  Destination destination;
  destination.platform = "none";
  destination.devices = devices;
  return destination;
}

Destination ForClient(pjrt::Client client) {
  Destination destination;
  const pjrt::Platform platform = client.plugin().platform();
  destination.platform = pjrt::Info(platform).name;
  destination.backend = BackendOf(client);
  const ProcessPlace place = PlaceOf(client);
  destination.devices = place.global_devices();
  destination.processes = place.processes;
  destination.client = std::move(client);
  return destination;
}

absl::StatusOr<Destination> ForTopology(const pjrt::Plugin& plugin,
                                        const std::string& topology) {
  Destination destination;
  destination.platform = pjrt::Info(plugin.platform()).name;
  destination.topology_name = topology;
  destination.backend = BackendOf(plugin.platform());
  ASSIGN_OR_RETURN(destination.topology,
                   pjrt::Topology::Create(plugin, topology));
  const auto& devices = destination.topology->devices();
  destination.devices = static_cast<int>(devices.size());
  for (const pjrt::DeviceDescription& device : devices) {
    destination.processes =
        std::max(destination.processes, device.process_index + 1);
  }
  return destination;
}

Destination WithoutCompiler(Destination destination) {
  destination.platform = "none";
  destination.topology.reset();
  destination.client.reset();
  return destination;
}

absl::StatusOr<ExportedStep> BuildStep(const Config& config,
                                       const Destination& destination) {
  ExportedStep built;
  built.config = config;
  built.report = {.platform = destination.platform,
                  .topology = destination.topology_name,
                  .devices = destination.devices};
  const absl::Time start = absl::Now();
  ASSIGN_OR_RETURN(
      built.step, BuildTrainStep(config, {.replicas = destination.devices,
                                          .backend = destination.backend,
                                          .processes = destination.processes}));
  built.report.build_seconds = absl::ToDoubleSeconds(absl::Now() - start);
  built.report.program_crc32c = Crc32c(built.step.program.text);
  return built;
}

absl::Status CompileStep(const Destination& destination, ExportedStep& step) {
  const std::string& text = step.step.program.text;
  const pjrt::CompileOptions options{.num_replicas = destination.devices};
  const std::string place =
      destination.topology_name.empty()
          ? absl::StrFormat("%d %s devices", destination.devices,
                            destination.platform)
          : destination.topology_name;
  const absl::Time start = absl::Now();
  const auto finish = [&](const pjrt::Executable& executable) {
    step.report.compile_seconds = absl::ToDoubleSeconds(absl::Now() - start);
    Describe(destination, executable, step);
  };
  std::optional<Phase> phase(absl::StrCat("compiling for ", place));
  if (destination.topology.has_value()) {
    const auto executable = destination.topology->Compile(text, options);
    phase.reset();
    if (!executable.ok()) return ExplainShortage(executable.status(), place);
    finish(*executable);
    if (step.report.memory.has_value()) {
      return CheckFits(*step.report.memory, place);
    }
  } else if (destination.client.has_value()) {
    const auto executable = destination.client->Compile(text, options);
    phase.reset();
    if (!executable.ok()) return executable.status();
    finish(executable->executable());
  }
  return absl::OkStatus();
}

absl::Status WriteStep(const std::string& folder, const ExportedStep& step) {
  RETURN_IF_ERROR(MakeDirectories(folder));
  RETURN_IF_ERROR(WriteFileAtomically(JoinPath(folder, "step.mlir"),
                                      step.step.program.text));
  RETURN_IF_ERROR(
      WriteOrRemove(JoinPath(folder, "optimized.hlo.txt"), step.optimized));
  RETURN_IF_ERROR(
      WriteOrRemove(JoinPath(folder, "step.executable"), step.executable));
  RETURN_IF_ERROR(
      WriteFileAtomically(JoinPath(folder, "step.json"),
                          StepJson(step.config, step.step, step.report)));
  std::string inspected;
  if (step.program.has_value()) {
    ASSIGN_OR_RETURN(const StepRecord record, ReadStepJson(folder));
    ASSIGN_OR_RETURN(const Inspection inspection,
                     Inspect(record, *step.program));
    inspected = InspectionJson(inspection);
  }
  return WriteOrRemove(JoinPath(folder, kInspectionFile), inspected);
}

}  // namespace xla_byol
