#include "xla_byol/inspect/inspection.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_reader.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/config/config.h"
#include "xla_byol/inspect/scope_place.h"

namespace xla_byol {
namespace {

constexpr size_t kShownBuffers = 60;
constexpr size_t kShownInstructions = 200;

void WriteCost(const Cost& cost, JsonWriter& json) {
  json.Field("flops", cost.flops).Field("bytes", cost.bytes);
  json.Field("cycles", cost.cycles).Field("seconds", cost.seconds);
  json.Field("count", cost.instructions);
}

void WriteParts(const ProgramCost& program, JsonWriter& json) {
  std::map<std::pair<std::string, std::string>, Cost> parts;
  json.Key("scopes").BeginArray();
  for (const auto& [scope, cost] : program.scopes) {
    const ScopePlace place = PlaceOf(scope);
    parts[{place.part, place.pass}].Add(cost);
    json.BeginObject().Field("scope", scope).Field("part", place.part);
    json.Field("pass", place.pass);
    WriteCost(cost, json);
    json.EndObject();
  }
  json.EndArray();
  json.Key("parts").BeginArray();
  for (const auto& [place, cost] : parts) {
    json.BeginObject().Field("part", place.first).Field("pass", place.second);
    WriteCost(cost, json);
    json.EndObject();
  }
  json.EndArray();
}

void WriteInstructions(const ProgramCost& program, JsonWriter& json) {
  std::vector<const InstructionCost*> costliest;
  for (const InstructionCost& one : program.instructions) {
    costliest.push_back(&one);
  }
  std::stable_sort(costliest.begin(), costliest.end(),
                   [](const InstructionCost* a, const InstructionCost* b) {
                     return std::make_pair(a->cost.seconds, a->cost.flops) >
                            std::make_pair(b->cost.seconds, b->cost.flops);
                   });
  costliest.resize(std::min(costliest.size(), kShownInstructions));
  json.Key("instructions").BeginArray();
  for (const InstructionCost* one : costliest) {
    json.BeginObject().Field("name", one->name).Field("opcode", one->opcode);
    json.Field("scope", one->scope).Field("times", one->times);
    json.Field("flops", one->cost.flops).Field("bytes", one->cost.bytes);
    json.Field("cycles", one->cost.cycles);
    json.Field("seconds", one->cost.seconds).EndObject();
  }
  json.EndArray();
}

void WriteCollectives(const Inspection& inspection, JsonWriter& json) {
  json.Key("collectives").BeginArray();
  for (const CollectiveUse& use : inspection.cost.collectives) {
    json.BeginObject().Field("name", use.name).Field("kind", use.kind);
    json.Field("scope", use.scope).Field("bytes", use.bytes);
    json.Field("replicas", use.replicas).Field("rings", use.rings);
    json.Field("times", use.times);
    if (inspection.machine.has_value()) {
      json.Field("seconds",
                 TimeOfCollective(use, *inspection.machine).seconds());
    }
    json.EndObject();
  }
  json.EndArray();
}

void WriteMemory(const Inspection& inspection, JsonWriter& json) {
  const StepRecord& record = inspection.record;
  json.Key("memory").BeginArray();
  const auto kind = [&json](absl::string_view name, int64_t bytes) {
    json.BeginObject().Field("kind", name).Field("bytes", bytes).EndObject();
  };
  for (const auto& [role, bytes] : record.input_bytes) kind(role, bytes);
  if (record.report.memory.has_value()) {
    const pjrt::CompiledMemory& memory = *record.report.memory;
    int64_t known = 0;
    for (const auto& [role, bytes] : record.input_bytes) known += bytes;
    kind("padding of arguments",
         std::max<int64_t>(memory.argument_bytes - known, 0));
    kind("outputs not in place", memory.output_bytes - memory.alias_bytes);
    kind("temporaries", memory.temp_bytes);
    kind("code", memory.code_bytes);
  }
  json.EndArray();
  json.Key("buffers").BeginArray();
  const auto& buffers = inspection.cost.buffers;
  for (size_t i = 0; i < std::min(buffers.size(), kShownBuffers); ++i) {
    json.BeginObject().Field("name", buffers[i].name);
    json.Field("scope", buffers[i].scope).Field("shape", buffers[i].shape);
    json.Field("bytes", buffers[i].bytes);
    json.Field("at_peak", buffers[i].at_peak).EndObject();
  }
  json.EndArray();
  json.Field("peak_bytes", inspection.cost.peak_bytes);
}

template <typename T>
void WriteOptional(absl::string_view key, const std::optional<T>& value,
                   JsonWriter& json) {
  if (value.has_value()) json.Field(key, *value);
}

// The step and the machine as a whole.
void WriteHeadline(const Inspection& inspection, JsonWriter& json) {
  const CompileReport& report = inspection.record.report;
  json.Field("name", inspection.config.name());
  json.Field("platform", report.platform).Field("topology", report.topology);
  json.Field("devices", report.devices);
  json.Field("batch", inspection.config.schedule().batch_size());
  json.Field("config", inspection.record.config);
  WriteOptional("compile_seconds", report.compile_seconds, json);
  WriteOptional("compiler_flops", report.flops, json);
  WriteOptional("compiler_bytes", report.bytes_accessed, json);
  WriteOptional("optimal_seconds", report.optimal_seconds, json);
  if (inspection.machine.has_value()) {
    const Hardware& hardware = inspection.machine->hardware;
    json.Field("unit", hardware.unit);
    json.Field("capacity", hardware.memory_bytes);
    json.Field("peak_flops", hardware.peak_flops);
    json.Field("clock", hardware.clock_hz);
  }
  if (inspection.estimate.has_value()) {
    const StepEstimate& estimate = *inspection.estimate;
    json.Field("compute_seconds", estimate.compute_seconds);
    json.Field("transfer_seconds", estimate.collectives.transfer_seconds);
    json.Field("latency_seconds", estimate.collectives.latency_seconds);
    json.Field("collective_bytes", estimate.collective_bytes);
  }
}

double Number(const JsonValue& json, absl::string_view key) {
  const JsonValue* found = json.Find(key);
  return found != nullptr && found->is_number() ? found->number : 0;
}

std::string Text(const JsonValue& json, absl::string_view key) {
  const JsonValue* found = json.Find(key);
  return found != nullptr && found->is_string() ? found->string : "";
}

const std::vector<JsonValue>* List(const JsonValue& json,
                                   absl::string_view key) {
  const JsonValue* found = json.Find(key);
  return found != nullptr && found->is_array() ? &found->elements : nullptr;
}

}  // namespace

absl::StatusOr<Inspection> Inspect(const StepRecord& record,
                                   const HloProgram& program) {
  Inspection inspection;
  inspection.record = record;
  ASSIGN_OR_RETURN(inspection.config, ParseConfig(record.config, "step.json"));
  inspection.cost = AnalyzeProgram(program);
  const CompileReport& report = record.report;
  if (auto machine = FindMachine(report.topology, report.devices);
      machine.ok()) {
    inspection.machine = *machine;
    inspection.estimate = EstimateStep(*machine, inspection.cost);
  }
  return inspection;
}

std::string InspectionJson(const Inspection& inspection) {
  JsonWriter json;
  json.BeginObject();
  WriteHeadline(inspection, json);
  json.Key("total").BeginObject();
  WriteCost(inspection.cost.total, json);
  json.EndObject();
  WriteParts(inspection.cost, json);
  WriteInstructions(inspection.cost, json);
  WriteCollectives(inspection, json);
  WriteMemory(inspection, json);
  json.EndObject();
  return json.text() + "\n";
}

absl::StatusOr<ProgramCost> ReadInspectedCost(const std::string& folder) {
  const std::string path = JoinPath(folder, kInspectionFile);
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const absl::StatusOr<JsonValue> json = ParseJson(text);
  const auto* scopes = json.ok() ? List(*json, "scopes") : nullptr;
  const auto* collectives = json.ok() ? List(*json, "collectives") : nullptr;
  if (scopes == nullptr || collectives == nullptr) {
    return absl::DataLossError(
        absl::StrCat(path, " is not what export wrote: ",
                     json.ok() ? "it has no scopes or collectives"
                               : json.status().message()));
  }
  ProgramCost cost;
  for (const JsonValue& scope : *scopes) {
    cost.scopes[Text(scope, "scope")] = {
        .flops = Number(scope, "flops"),
        .bytes = Number(scope, "bytes"),
        .cycles = Number(scope, "cycles"),
        .instructions = static_cast<int>(Number(scope, "count"))};
  }
  for (const auto& [scope, one] : cost.scopes) cost.total.Add(one);
  for (const JsonValue& use : *collectives) {
    cost.collectives.push_back(
        {.name = Text(use, "name"),
         .kind = Text(use, "kind"),
         .scope = Text(use, "scope"),
         .bytes = static_cast<int64_t>(Number(use, "bytes")),
         .replicas = static_cast<int64_t>(Number(use, "replicas")),
         .rings = Text(use, "rings"),
         .times = Number(use, "times")});
  }
  cost.peak_bytes = static_cast<int64_t>(Number(*json, "peak_bytes"));
  return cost;
}

}  // namespace xla_byol
