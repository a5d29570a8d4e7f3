#include "xla_byol/metrics/metrics_record.h"

#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_reader.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void WriteNumbers(absl::string_view name, const std::vector<double>& numbers,
                  JsonWriter& json) {
  json.Key(name).BeginArray();
  for (const double number : numbers) json.Value(number);
  json.EndArray();
}

absl::Status Wrong(absl::string_view name, absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat("not a record: \"", name, "\" is ", what));
}

std::optional<std::vector<double>> Numbers(const JsonValue* value) {
  if (value == nullptr || !value->is_array()) return std::nullopt;
  std::vector<double> numbers;
  for (const JsonValue& element : value->elements) {
    if (!element.is_number()) return std::nullopt;
    numbers.push_back(element.number);
  }
  return numbers;
}

absl::Status ParseCompound(const std::string& name, const JsonValue& value,
                           MetricsRecord& record) {
  if (const JsonValue* file = value.Find("image"); file != nullptr) {
    const JsonValue* width = value.Find("width");
    const JsonValue* height = value.Find("height");
    if (!file->is_string() || width == nullptr || height == nullptr ||
        width->Integer().value_or(0) <= 0 ||
        height->Integer().value_or(0) <= 0 || width->number > 1e6 ||
        height->number > 1e6) {
      return Wrong(name, "no image with a file, a width and a height");
    }
    record.images.push_back({name, "", static_cast<int>(width->number),
                             static_cast<int>(height->number), file->string});
    return absl::OkStatus();
  }
  const auto edges = Numbers(value.Find("edges"));
  const auto counts = Numbers(value.Find("counts"));
  if (!edges.has_value() || !counts.has_value() || counts->empty() ||
      edges->size() != counts->size() + 1) {
    return Wrong(name, "no histogram with n counts and n + 1 edges");
  }
  record.histograms.push_back({name, *edges, *counts});
  return absl::OkStatus();
}

}  // namespace

double MetricsRecord::Value(absl::string_view name) const {
  for (const auto& [key, value] : values) {
    if (key == name) return value;
  }
  return kNan;
}

std::string ToJson(const MetricsRecord& record) {
  JsonWriter json;
  json.BeginObject();
  json.Field("kind", record.kind);
  json.Field("step", record.step);
  json.Field("epoch", record.epoch);
  json.Field("time", record.time);
  for (const auto& [name, value] : record.values) json.Field(name, value);
  for (const Histogram& histogram : record.histograms) {
    json.Key(histogram.name).BeginObject();
    WriteNumbers("edges", histogram.edges, json);
    WriteNumbers("counts", histogram.counts, json);
    json.EndObject();
  }
  for (const MetricImage& image : record.images) {
    json.Key(image.name).BeginObject();
    json.Field("image", image.file);
    json.Field("width", image.width).Field("height", image.height);
    json.EndObject();
  }
  json.EndObject();
  return json.text();
}

absl::StatusOr<MetricsRecord> ParseMetricsRecord(absl::string_view line) {
  ASSIGN_OR_RETURN(JsonValue json, ParseJson(line));
  if (!json.is_object()) {
    return absl::DataLossError("not a record: not an object");
  }
  MetricsRecord record;
  std::optional<int64_t> step;
  for (size_t i = 0; i < json.names.size(); ++i) {
    std::string& name = json.names[i];
    JsonValue& value = json.elements[i];
    if (name == "kind") {
      if (!value.is_string()) return Wrong(name, "no text");
      record.kind = std::move(value.string);
    } else if (name == "step") {
      step = value.Integer();
      if (!step.has_value() || *step < 0) return Wrong(name, "no count");
    } else if (name == "epoch" || name == "time") {
      if (!value.is_number()) return Wrong(name, "no number");
      (name == "epoch" ? record.epoch : record.time) = value.number;
    } else if (value.is_number()) {
      record.values.emplace_back(std::move(name), value.number);
    } else if (value.type == JsonValue::Type::kNull) {
      record.values.emplace_back(std::move(name), kNan);
    } else if (value.is_object()) {
      RETURN_IF_ERROR(ParseCompound(name, value, record));
    } else {
      return Wrong(name, "neither a number, a histogram nor an image");
    }
  }
  if (record.kind.empty()) return Wrong("kind", "missing");
  if (!step.has_value()) return Wrong("step", "missing");
  record.step = *step;
  return record;
}

std::string MetricsPath(absl::string_view run_dir) {
  return JoinPath(run_dir, kMetricsFile);
}

std::string EvaluationPath(absl::string_view run_dir) {
  return JoinPath(run_dir, kEvaluationFile);
}

void VisitRecords(absl::string_view content,
                  absl::FunctionRef<void(absl::string_view line,
                                         absl::StatusOr<MetricsRecord> record)>
                      visit) {
  for (size_t end = content.find('\n'); end != absl::string_view::npos;
       end = content.find('\n')) {
    const absl::string_view line = content.substr(0, end);
    visit(line, ParseMetricsRecord(line));
    content.remove_prefix(end + 1);
  }
}

absl::Status VisitMetrics(absl::string_view run_dir,
                          absl::FunctionRef<void(MetricsRecord record)> visit) {
  const std::string path = MetricsPath(run_dir);
  ASSIGN_OR_RETURN(const std::string content, ReadFile(path));
  int64_t number = 0, broken = 0;
  std::string first;
  VisitRecords(content, [&](absl::string_view,
                            absl::StatusOr<MetricsRecord> record) {
    ++number;
    if (record.ok()) return visit(*std::move(record));
    if (broken++ == 0) {
      first = absl::StrCat("line ", number, " is ", record.status().message());
    }
  });
  if (broken > 0) {
    LogWarning(absl::StrCat("'", path, "': ", broken, " of ", number,
                            " lines are left out; ", first));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<MetricsRecord>> ReadMetrics(
    absl::string_view run_dir) {
  std::vector<MetricsRecord> records;
  RETURN_IF_ERROR(VisitMetrics(run_dir, [&records](MetricsRecord record) {
    records.push_back(std::move(record));
  }));
  return records;
}

}  // namespace xla_byol
