#include "xla_byol/reporting/report_page.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/page/page.h"
#include "xla_byol/reporting/report_json.h"
#include "xla_byol/reporting/report_page/report_assets.h"

namespace xla_byol {
namespace {

void WriteHeadline(const ReportHeadline& headline, JsonWriter& json) {
  json.Key("headline").BeginObject();
  json.Field("linear_top1", headline.linear_top1);
  json.Field("linear_top5", headline.linear_top5);
  json.Field("knn_top1", headline.knn_top1);
  json.Field("probe_accuracy", headline.probe_accuracy);
  json.Field("loss", headline.loss);
  json.Field("images_per_s", headline.images_per_s);
  json.Field("data_wait", headline.data_wait);
  json.Field("stable_rank", headline.stable_rank);
  json.Field("steps", headline.steps);
  json.Field("epochs", headline.epochs);
  json.Field("seconds", headline.seconds);
  json.EndObject();
}

void WriteTable(const ReportTable& table, JsonWriter& json) {
  json.Key(table.kind).BeginObject();
  WriteAxis(table.axis, json);
  json.Key("columns").BeginObject();
  for (const auto& [name, series] : table.columns) {
    json.Key(name).BeginObject();
    WriteNumbers("mean", series.mean, json);
    if (table.grouped) {
      WriteNumbers("low", series.low, json);
      WriteNumbers("high", series.high, json);
    }
    json.EndObject();
  }
  json.EndObject().EndObject();
}

void WriteHeatmap(const ReportHeatmap& map, JsonWriter& json) {
  json.Key(map.name).BeginObject();
  WriteHistogram(map, json);
  json.EndObject();
}

void WriteRun(const ReportRun& run, JsonWriter& json) {
  json.BeginObject();
  json.Field("label", run.label).Field("name", run.name);
  json.Field("directory", run.directory).Field("config", run.config);
  json.Field("latent_size", run.latent_size);
  WriteHeadline(run.headline, json);
  json.Key("tables").BeginObject();
  for (const ReportTable& table : run.tables) WriteTable(table, json);
  json.EndObject();
  json.Key("heatmaps").BeginObject();
  for (const ReportHeatmap& map : run.heatmaps) WriteHeatmap(map, json);
  json.EndObject();
  json.Key("pictures").BeginArray();
  for (const ReportPicture& picture : run.pictures) {
    json.BeginObject();
    json.Field("name", picture.name).Field("step", picture.step);
    json.Field("width", picture.width).Field("height", picture.height);
    json.Field("source", absl::StrCat("data:image/png;base64,",
                                      absl::Base64Escape(picture.png)));
    json.EndObject();
  }
  json.EndArray();
  if (!run.features.empty()) json.Key("features").Json(run.features);
  json.EndObject();
}

std::string Title(absl::Span<const ReportRun> runs) {
  if (runs.size() > 1) return absl::StrCat(runs.size(), " BYOL runs");
  return absl::StrCat("BYOL run ", runs[0].label);
}

}  // namespace

std::string ReportData(absl::Span<const ReportRun> runs) {
  JsonWriter json;
  json.BeginObject();
  json.Field("title", Title(runs));
  json.Key("runs").BeginArray();
  for (const ReportRun& run : runs) WriteRun(run, json);
  json.EndArray().EndObject();
  return json.text();
}

std::string ReportPage(absl::Span<const ReportRun> runs) {
  return RenderPage(
      {.title = Title(runs),
       .without_scripts = "The charts are drawn by a script inside this page; "
                          "allow scripts to see them.",
       .data = ReportData(runs),
       .style = kReportStyle,
       .scripts = {kReportFormat, kReportChart, kReportHeatmap, kReportSections,
                   kReportFeatures, kReportScript}});
}

}  // namespace xla_byol
