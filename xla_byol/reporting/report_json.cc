#include "xla_byol/reporting/report_json.h"

namespace xla_byol {
namespace {

void WriteElements(const std::vector<double>& numbers, JsonWriter& json) {
  json.BeginArray();
  for (const double number : numbers) json.Value(static_cast<float>(number));
  json.EndArray();
}

}  // namespace

void WriteNumbers(absl::string_view key, const std::vector<double>& numbers,
                  JsonWriter& json) {
  json.Key(key);
  WriteElements(numbers, json);
}

void WriteAxis(const ReportAxis& axis, JsonWriter& json) {
  // A float has no place for all steps of a long run.
  json.Key("step").BeginArray();
  for (const double step : axis.step) json.Value(step);
  json.EndArray();
  WriteNumbers("epoch", axis.epoch, json);
  WriteNumbers("seconds", axis.seconds, json);
}

void WriteHistogram(const ReportHeatmap& map, JsonWriter& json) {
  WriteAxis(map.axis, json);
  WriteNumbers("edges", map.edges, json);
  json.Key("shares").BeginArray();
  for (const std::vector<double>& shares : map.shares) {
    WriteElements(shares, json);
  }
  json.EndArray();
}

}  // namespace xla_byol
