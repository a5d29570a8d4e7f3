#include "xla_byol/inspect/inspect_page.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/config/config.h"
#include "xla_byol/inspect/inspect_page/inspect_assets.h"

namespace xla_byol {
namespace {

constexpr size_t kShownBuffers = 60;
// A longer program is shown without the bodies of its fusions.
constexpr size_t kLongProgram = 4'500'000;

void WriteCost(const Cost& cost, JsonWriter& json) {
  json.Field("flops", cost.flops).Field("bytes", cost.bytes);
  json.Field("seconds", cost.seconds).Field("count", cost.instructions);
}

void WriteParts(const Inspection& inspection, JsonWriter& json) {
  std::map<std::pair<std::string, std::string>, Cost> parts;
  json.Key("scopes").BeginArray();
  for (const auto& [scope, cost] : inspection.cost.scopes) {
    const ScopePlace place = PlaceOf(scope);
    parts[{place.part, place.pass}].Add(cost);
    json.BeginObject().Field("scope", scope).Field("part", place.part);
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

void WriteExport(const Inspection& inspection, JsonWriter& json) {
  const CompileReport& report = inspection.record.report;
  const int batch = inspection.config.schedule().batch_size();
  json.BeginObject();
  json.Field("folder", inspection.folder);
  json.Field("name", inspection.config.name());
  json.Field("platform", report.platform).Field("topology", report.topology);
  json.Field("devices", report.devices).Field("batch", batch);
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
  json.Key("total").BeginObject();
  WriteCost(inspection.cost.total, json);
  json.EndObject();
  WriteParts(inspection, json);
  WriteCollectives(inspection, json);
  WriteMemory(inspection, json);
  json.EndObject();
}

std::string ShownProgram(const std::string& program) {
  if (program.size() <= kLongProgram) return program;
  const size_t entry = program.find("\nENTRY ");
  return entry == std::string::npos ? program : program.substr(entry + 1);
}

std::string DataOf(absl::Span<const Inspection> inspections) {
  JsonWriter json;
  json.BeginObject().Key("order").BeginArray();
  for (const std::string& part : PartOrder()) json.Value(part);
  json.EndArray().Key("exports").BeginArray();
  for (const Inspection& inspection : inspections) {
    WriteExport(inspection, json);
  }
  json.EndArray().EndObject();
  // Nothing in the data can end the script element.
  return absl::StrReplaceAll(json.text(), {{"<", "\\u003c"}});
}

}  // namespace

absl::StatusOr<Inspection> Inspect(const std::string& folder) {
  Inspection inspection;
  inspection.folder = folder;
  ASSIGN_OR_RETURN(inspection.record, ReadStepJson(folder));
  ASSIGN_OR_RETURN(inspection.config,
                   ParseConfig(inspection.record.config, "step.json"));
  absl::StatusOr<std::string> program =
      ReadFile(JoinPath(folder, "optimized.hlo.txt"));
  if (!program.ok()) return program.status();
  inspection.program = *std::move(program);
  ASSIGN_OR_RETURN(const HloProgram parsed,
                   ParseHloProgram(inspection.program));
  inspection.cost = AnalyzeProgram(parsed);
  const CompileReport& report = inspection.record.report;
  if (auto machine = FindMachine(report.topology, report.devices);
      machine.ok()) {
    inspection.machine = *machine;
    inspection.estimate = EstimateStep(*machine, inspection.cost);
  }
  return inspection;
}

std::string InspectPage(absl::Span<const Inspection> inspections) {
  // The policy keeps the promise that the page asks the network for nothing.
  std::string page = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; img-src data:; style-src 'unsafe-inline'; script-src "
      "'unsafe-inline'\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>Compiled step</title>\n<style>\n",
      kInspectStyle,
      "</style>\n</head>\n<body>\n<noscript>The page is drawn by a script "
      "inside it; allow scripts to see it.</noscript>\n"
      "<main id=\"page\"></main>\n<script type=\"application/json\" "
      "id=\"data\">",
      DataOf(inspections), "</script>\n");
  for (size_t i = 0; i < inspections.size(); ++i) {
    // Text inside a script element ends at its end tag and nowhere else.
    absl::StrAppend(&page, "<script type=\"text/plain\" id=\"program", i, "\">",
                    absl::StrReplaceAll(ShownProgram(inspections[i].program),
                                        {{"</", "< /"}, {"<!--", "< !--"}}),
                    "</script>\n");
  }
  absl::StrAppend(&page, "<script>\n", kInspectFormat, kInspectSections,
                  kInspectListing, kInspectScript,
                  "</script>\n</body>\n</html>\n");
  return page;
}

}  // namespace xla_byol
