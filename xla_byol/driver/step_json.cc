#include "xla_byol/driver/step_json.h"

#include <cstdint>
#include <vector>

#include "xla_byol/base/json_writer.h"
#include "xla_byol/byol/config.h"

namespace xla_byol {
namespace {

void WriteTensors(JsonWriter& json, const std::vector<StepTensor>& tensors,
                  const std::vector<graph::Signature>& signatures) {
  json.BeginArray();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const StepTensor& tensor = tensors[i];
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

}  // namespace

std::string StepJson(const Config& config, const StepProgram& step,
                     const StepReport& report) {
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
  json.Field("config", FormatConfig(config));
  json.EndObject();
  return json.text() + "\n";
}

}  // namespace xla_byol
