#include "xla_byol/runtime/step_json.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_reader.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/config/config.h"

namespace xla_byol {
namespace {

void WriteTensors(JsonWriter& json, const std::vector<ProgramTensor>& tensors,
                  const std::vector<graph::NamedTensor>& signatures) {
  json.BeginArray();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const ProgramTensor& tensor = tensors[i];
    json.BeginObject();
    json.Field("name", tensor.name);
    json.Field("dtype", graph::Name(tensor.shape.dtype));
    json.Key("shape").BeginArray();
    for (const int64_t dim : tensor.shape.dims) json.Value(dim);
    json.EndArray();
    json.Field("role", RoleName(tensor.role));
    if (signatures[i].donated_to.has_value()) {
      json.Field("donated_to", *signatures[i].donated_to);
    }
    json.EndObject();
  }
  json.EndArray();
}

template <typename T>
void WriteOptional(JsonWriter& json, const char* key,
                   const std::optional<T>& value) {
  json.Key(key);
  if (value.has_value()) {
    json.Value(*value);
  } else {
    json.Null();
  }
}

const JsonValue* Object(const JsonValue& json, absl::string_view key) {
  const JsonValue* found = json.Find(key);
  return found != nullptr && found->is_object() ? found : nullptr;
}

std::string Text(const JsonValue& json, absl::string_view key) {
  const JsonValue* found = json.Find(key);
  return found != nullptr && found->is_string() ? found->string : "";
}

std::optional<double> Number(const JsonValue& json, absl::string_view key) {
  const JsonValue* found = json.Find(key);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  return found->number;
}

template <typename T>
T Whole(const JsonValue& json, absl::string_view key) {
  const JsonValue* found = json.Find(key);
  return found == nullptr ? T{0} : static_cast<T>(found->Integer().value_or(0));
}

int64_t BytesOf(const JsonValue& tensor) {
  const std::string type = Text(tensor, "dtype");
  int64_t bytes = type == "u8" || type == "pred" ? 1 : 4;
  if (const JsonValue* shape = tensor.Find("shape")) {
    for (const JsonValue& dim : shape->elements) {
      bytes *= dim.Integer().value_or(1);
    }
  }
  return bytes;
}

std::vector<std::pair<std::string, int64_t>> BytesByRole(
    const JsonValue& json) {
  std::vector<std::pair<std::string, int64_t>> roles;
  const JsonValue* inputs = json.Find("inputs");
  if (inputs == nullptr) return roles;
  for (const JsonValue& tensor : inputs->elements) {
    const std::string role = Text(tensor, "role");
    if (roles.empty() || roles.back().first != role) roles.push_back({role, 0});
    roles.back().second += BytesOf(tensor);
  }
  return roles;
}

}  // namespace

std::string StepJson(const Config& config, const NamedProgram& step,
                     const CompileReport& report) {
  JsonWriter json;
  json.BeginObject();
  json.Key("inputs");
  WriteTensors(json, step.inputs, step.program.inputs);
  json.Key("outputs");
  WriteTensors(json, step.outputs, step.program.outputs);
  json.Field("platform", report.platform);
  json.Field("topology", report.topology);
  json.Field("devices", report.devices);
  json.Field("build_seconds", report.build_seconds);
  WriteOptional(json, "compile_seconds", report.compile_seconds);
  json.Key("memory");
  if (report.memory.has_value()) {
    json.BeginObject();
    json.Field("argument_bytes", report.memory->argument_bytes);
    json.Field("output_bytes", report.memory->output_bytes);
    json.Field("alias_bytes", report.memory->alias_bytes);
    json.Field("temp_bytes", report.memory->temp_bytes);
    json.Field("code_bytes", report.memory->code_bytes);
    json.EndObject();
  } else {
    json.Null();
  }
  json.Key("cost").BeginObject();
  WriteOptional(json, "flops", report.flops);
  WriteOptional(json, "bytes_accessed", report.bytes_accessed);
  WriteOptional(json, "optimal_seconds", report.optimal_seconds);
  json.EndObject();
  json.Field("program_crc32c", report.program_crc32c);
  json.Key("executable");
  if (report.executable.has_value()) {
    json.BeginObject();
    json.Field("file", "step.executable");
    json.Field("bytes", report.executable->bytes);
    json.Field("crc32c", report.executable->crc32c);
    json.Field("plugin", report.executable->plugin);
    json.Field("device_kind", report.executable->device_kind);
    json.EndObject();
  } else {
    json.Null();
  }
  json.Field("config", FormatConfig(config));
  json.EndObject();
  return json.text() + "\n";
}

absl::StatusOr<StepRecord> ReadStepJson(const std::string& folder) {
  const std::string path = JoinPath(folder, "step.json");
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  const absl::StatusOr<JsonValue> json = ParseJson(*text);
  if (!json.ok() || !json->is_object()) {
    return absl::DataLossError(absl::StrCat(
        path, " is no export's: ",
        json.ok() ? "it holds no object" : json.status().message()));
  }
  StepRecord record;
  CompileReport& report = record.report;
  report.platform = Text(*json, "platform");
  report.topology = Text(*json, "topology");
  report.devices = static_cast<int>(Number(*json, "devices").value_or(1));
  report.build_seconds = Number(*json, "build_seconds").value_or(0);
  report.program_crc32c = Whole<uint32_t>(*json, "program_crc32c");
  report.compile_seconds = Number(*json, "compile_seconds");
  if (const JsonValue* memory = Object(*json, "memory")) {
    report.memory = {
        .argument_bytes = Whole<int64_t>(*memory, "argument_bytes"),
        .output_bytes = Whole<int64_t>(*memory, "output_bytes"),
        .alias_bytes = Whole<int64_t>(*memory, "alias_bytes"),
        .temp_bytes = Whole<int64_t>(*memory, "temp_bytes"),
        .code_bytes = Whole<int64_t>(*memory, "code_bytes")};
  }
  if (const JsonValue* cost = Object(*json, "cost")) {
    report.flops = Number(*cost, "flops");
    report.bytes_accessed = Number(*cost, "bytes_accessed");
    report.optimal_seconds = Number(*cost, "optimal_seconds");
  }
  if (const JsonValue* executable = Object(*json, "executable")) {
    report.executable = {.plugin = Text(*executable, "plugin"),
                         .device_kind = Text(*executable, "device_kind"),
                         .bytes = Whole<int64_t>(*executable, "bytes"),
                         .crc32c = Whole<uint32_t>(*executable, "crc32c")};
  }
  record.config = Text(*json, "config");
  record.input_bytes = BytesByRole(*json);
  return record;
}

}  // namespace xla_byol
