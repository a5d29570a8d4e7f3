#include "xla_byol/studies/study_page.h"

#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/page/page.h"
#include "xla_byol/reporting/report_page/report_assets.h"
#include "xla_byol/studies/figures.h"
#include "xla_byol/studies/result_table.h"
#include "xla_byol/studies/study_page/study_assets.h"

namespace xla_byol {
namespace {

std::string Title(const Study& study) {
  return study.has_title() ? study.title() : study.name();
}

void WriteTexts(absl::string_view key, const std::vector<std::string>& texts,
                JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const std::string& text : texts) json.Value(text);
  json.EndArray();
}

void WriteTable(const ResultTable& table, JsonWriter& json) {
  json.BeginObject();
  json.Field("title", table.title).Field("paper", table.paper_title);
  json.Field("corner", table.row_axis);
  WriteTexts("rows", table.rows, json);
  WriteTexts("columns", table.columns, json);
  json.Key("cells").BeginArray();
  for (size_t r = 0; r < table.rows.size(); ++r) {
    json.BeginArray();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const TableCell& cell = table.cells[r][c];
      json.BeginObject().Field("text", table.CellText(r, c));
      json.Field("best", cell.best).Field("best_of_all", cell.best_of_all);
      json.Field("paper", cell.paper).EndObject();
    }
    json.EndArray();
  }
  json.EndArray().EndObject();
}

void WriteRun(const StudyRun& run, absl::Span<const StudyResult> results,
              JsonWriter& json) {
  json.BeginObject().Field("name", run.name).Field("seed", run.seed);
  json.Key("values").BeginObject();
  for (const auto& [field, value] : run.values) json.Field(field, value);
  json.EndObject();
  for (const StudyResult& result : results) {
    if (result.run != run.name) continue;
    json.Key("measures").BeginObject();
    for (const auto& [name, value] : result.measures) json.Field(name, value);
    json.EndObject();
    json.Field("plugin", result.provenance.plugin);
    json.Field("commit", result.provenance.commit);
    if (!result.taken_from.empty()) {
      json.Field("taken_from", result.taken_from);
    }
  }
  json.EndObject();
}

}  // namespace

std::string StudyPage(const StudyPlan& plan,
                      absl::Span<const StudyResult> results,
                      absl::string_view figures) {
  JsonWriter json;
  json.BeginObject();
  json.Field("title", Title(plan.study));
  json.Field("name", plan.study.name());
  json.Field("question", plan.study.question());
  json.Key("tables").BeginArray();
  for (const ResultTable& table : MakeTables(plan, results)) {
    WriteTable(table, json);
  }
  json.EndArray();
  json.Key("runs").BeginArray();
  for (const StudyRun& run : plan.runs) WriteRun(run, results, json);
  json.EndArray().EndObject();
  // The figures are JSON already, and become the object's last field.
  std::string data = json.text();
  data.pop_back();
  absl::StrAppend(&data, ",\"figures\":", figures.empty() ? "[]" : figures,
                  "}");
  return RenderPage(
      {.title = Title(plan.study),
       .without_scripts = "The tables are drawn by a script inside this page; "
                          "allow scripts to see them.",
       .data = data,
       .style = absl::StrCat(kReportStyle, kStudyStyle),
       .scripts = {kReportFormat, kReportChart, kReportHeatmap, kStudyScript}});
}

absl::Status WriteStudyPage(const StudyPlan& plan,
                            absl::Span<const StudyResult> results,
                            absl::string_view study_dir) {
  const std::string figures =
      FiguresJson(MakeFigures(plan, results, study_dir));
  RETURN_IF_ERROR(WriteFileAtomically(JoinPath(study_dir, kFiguresFile),
                                      absl::StrCat(figures, "\n")));
  return WriteFileAtomically(JoinPath(study_dir, kStudyPageFile),
                             StudyPage(plan, results, figures));
}

}  // namespace xla_byol
