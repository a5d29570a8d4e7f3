#include "xla_byol/inspect/step_compiler.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "xla_byol/base/crc32c.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/progress.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/inspect/compiled_cache.h"
#include "xla_byol/inspect/inspection.h"
#include "xla_byol/inspect/memory_shortage.h"
#include "xla_byol/pjrt/hlo_text.h"
#include "xla_byol/pjrt/platform.h"
#include "xla_byol/runtime/device_program.h"
#include "xla_byol/runtime/executable_file.h"
#include "xla_byol/runtime/process_place.h"

namespace xla_byol {
namespace {

// Fills in what the compiler says about its result; a plugin that does not say
// leaves gaps, which are no errors.
void Take(const Destination& destination, CompiledStep compiled,
          ExportedStep& step) {
  if (auto text = pjrt::HloText(compiled.optimized); text.ok()) {
    step.optimized = *std::move(text);
  }
  if (auto read = ReadHloProgram(compiled.optimized); read.ok()) {
    step.program = *std::move(read);
  }
  CompileReport& report = step.report;
  report.compile_seconds = compiled.compile_seconds;
  report.memory = compiled.memory;
  report.flops = compiled.flops;
  report.bytes_accessed = compiled.bytes_accessed;
  report.optimal_seconds = compiled.optimal_seconds;
  if (!compiled.executable.empty()) {
    step.executable = std::move(compiled.executable);
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
          ? absl::StrFormat("%d %s device%s", destination.devices,
                            destination.platform,
                            destination.devices == 1 ? "" : "s")
          : destination.topology_name;
  const absl::Time start = absl::Now();
  const auto described = [&start](const pjrt::Executable& executable) {
    CompiledStep compiled = DescribeCompiled(executable);
    compiled.compile_seconds = absl::ToDoubleSeconds(absl::Now() - start);
    return compiled;
  };
  if (destination.client.has_value()) {
    std::optional<Phase> phase(absl::StrCat("compiling for ", place));
    const auto executable = destination.client->Compile(text, options);
    phase.reset();
    if (!executable.ok()) return executable.status();
    Take(destination, described(executable->executable()), step);
    return absl::OkStatus();
  }
  if (!destination.topology.has_value()) return absl::OkStatus();
  const CompiledCache cache(destination.cache_directory);
  const std::string key = CompilationKey(*destination.topology, text);
  std::optional<CompiledStep> compiled = cache.Find(key);
  if (!compiled.has_value()) {
    std::optional<Phase> phase(absl::StrCat("compiling for ", place));
    const auto executable = destination.topology->Compile(text, options);
    phase.reset();
    if (!executable.ok()) return ExplainShortage(executable.status(), place);
    compiled = described(*executable);
    const absl::Status stored = cache.Store(key, *compiled);
    if (!stored.ok()) {
      LogWarning(
          absl::StrCat("not kept for the next time: ", stored.message()));
    }
  } else {
    LogInfo(absl::StrCat("compiled for ", place, " before: taken from ",
                         destination.cache_directory));
  }
  Take(destination, *std::move(compiled), step);
  return step.report.memory.has_value() ? CheckFits(*step.report.memory, place)
                                        : absl::OkStatus();
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
