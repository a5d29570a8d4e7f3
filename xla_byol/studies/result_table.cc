#include "xla_byol/studies/result_table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace xla_byol {
namespace {

struct MeasureName {
  const char* name;
  const char* title;
};

constexpr MeasureName kMeasureNames[] = {
    {"linear_top1", "linear probe, top 1"},
    {"linear_top5", "linear probe, top 5"},
    {"knn_top1", "k-NN"},
    {"feature_rank", "effective rank"},
    {"feature_rankme", "RankMe"},
    {"seconds", "seconds"},
    {"predictor_stable_rank", "stable rank of P"},
    {"predictor_trace", "trace of P"},
    {"predictor_polar_distance", "distance to the polar factor"},
    {"predictor_projection_error", "distance to a projection"},
};

// Length on a terminal: characters, not bytes.
size_t Width(absl::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

void Fill(const std::vector<double>& values, TableCell& cell) {
  cell.runs = static_cast<int>(values.size());
  if (values.empty()) return;
  double sum = 0;
  for (const double value : values) sum += value;
  cell.mean = sum / cell.runs;
  if (cell.runs < 2) return;
  double squares = 0;
  for (const double value : values) {
    squares += (value - cell.mean) * (value - cell.mean);
  }
  cell.deviation = std::sqrt(squares / (cell.runs - 1));
}

// Of those that are as good as the best in what is shown, all are marked.
void MarkBest(std::vector<TableCell*> cells, bool TableCell::*mark) {
  double best = -INFINITY;
  for (const TableCell* cell : cells) {
    if (cell->runs > 0) best = std::max(best, cell->mean);
  }
  for (TableCell* cell : cells) {
    cell->*mark = cell->runs > 0 && cell->mean == best;
  }
}

// Only accuracies have a best: more seconds or another rank is no merit.
void MarkTable(ResultTable& table) {
  std::vector<TableCell*> all;
  if (table.column_axis.empty()) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      std::vector<TableCell*> column;
      for (auto& row : table.cells) column.push_back(&row[c]);
      if (IsShare(table.measures[c])) MarkBest(column, &TableCell::best);
    }
    return;
  }
  if (!IsShare(table.measures[0])) return;
  for (auto& row : table.cells) {
    std::vector<TableCell*> cells;
    for (TableCell& cell : row) cells.push_back(&cell);
    MarkBest(cells, &TableCell::best);
    all.insert(all.end(), cells.begin(), cells.end());
  }
  MarkBest(all, &TableCell::best_of_all);
}

std::string Marked(const ResultTable& table, size_t r, size_t c) {
  std::string text = table.CellText(r, c);
  const TableCell& cell = table.cells[r][c];
  if (cell.best) text = absl::StrCat("<u>", text, "</u>");
  if (cell.best_of_all) text = absl::StrCat("**", text, "**");
  if (table.has_paper() && !cell.paper.empty()) {
    absl::StrAppend(&text, " (", cell.paper, ")");
  }
  return text;
}

}  // namespace

bool IsShare(absl::string_view measure) {
  return absl::StrContains(measure, "_top1") ||
         absl::StrContains(measure, "_top5");
}

std::string MeasureTitle(absl::string_view measure) {
  for (const MeasureName& known : kMeasureNames) {
    if (measure == known.name) return known.title;
  }
  return std::string(measure);
}

std::string ResultTable::CellText(size_t row, size_t column) const {
  const TableCell& cell = cells[row][column];
  if (cell.planned == 0) return "";
  if (cell.runs == 0) return "…";
  const bool share = IsShare(MeasureOf(column));
  const double unit = share ? 100 : 1;
  const double size = std::abs(cell.mean);
  const int decimals = share ? 2 : size < 1 ? 3 : size < 10 ? 2 : 1;
  std::string text = absl::StrFormat("%.*f", decimals, unit * cell.mean);
  if (cell.runs > 1) {
    absl::StrAppendFormat(&text, " ± %.*f", decimals, unit * cell.deviation);
  }
  if (cell.runs < cell.planned) {
    absl::StrAppendFormat(&text, " [%d/%d]", cell.runs, cell.planned);
  }
  return text;
}

ResultTable MakeTable(const StudyPlan& plan, const Table& layout,
                      absl::Span<const StudyResult> results) {
  ResultTable table;
  table.title = layout.title();
  table.paper_title = layout.paper_title();
  table.row_axis = layout.rows();
  table.column_axis = layout.columns();
  table.measures = {layout.measure().begin(), layout.measure().end()};
  if (table.measures.empty()) table.measures = {"linear_top1"};
  table.rows = AxisLabels(plan.runs, layout.rows());
  if (table.column_axis.empty()) {
    for (const std::string& measure : table.measures) {
      table.columns.push_back(MeasureTitle(measure));
    }
  } else {
    table.columns = AxisLabels(plan.runs, layout.columns());
  }
  std::map<std::string, const StudyResult*> by_run;
  for (const StudyResult& result : results) by_run[result.run] = &result;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    auto& cells = table.cells.emplace_back();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      TableCell& cell = cells.emplace_back();
      std::vector<double> values;
      for (const StudyRun& run : plan.runs) {
        if (run.Label(layout.rows()) != table.rows[r]) continue;
        if (!table.column_axis.empty() &&
            run.Label(table.column_axis) != table.columns[c]) {
          continue;
        }
        ++cell.planned;
        const auto found = by_run.find(run.name);
        if (found == by_run.end()) continue;
        const double value = found->second->Measure(table.MeasureOf(c));
        if (std::isfinite(value)) values.push_back(value);
      }
      Fill(values, cell);
      for (const PaperRow& paper : layout.paper()) {
        if (paper.label() != table.rows[r]) continue;
        if (static_cast<int>(c) < paper.cell_size()) {
          cell.paper = paper.cell(static_cast<int>(c));
        }
      }
    }
  }
  MarkTable(table);
  return table;
}

std::vector<ResultTable> MakeTables(const StudyPlan& plan,
                                    absl::Span<const StudyResult> results) {
  std::vector<ResultTable> tables;
  for (const Table& layout : plan.study.table()) {
    tables.push_back(MakeTable(plan, layout, results));
  }
  return tables;
}

std::string TableText(const ResultTable& table) {
  std::vector<std::vector<std::string>> lines(1, {table.row_axis});
  lines[0].insert(lines[0].end(), table.columns.begin(), table.columns.end());
  for (size_t r = 0; r < table.rows.size(); ++r) {
    auto& line = lines.emplace_back();
    line.push_back(table.rows[r]);
    for (size_t c = 0; c < table.columns.size(); ++c) {
      line.push_back(absl::StrCat(table.CellText(r, c),
                                  table.cells[r][c].best ? " *" : ""));
    }
  }
  std::vector<size_t> widths(lines[0].size(), 0);
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], Width(line[i]));
    }
  }
  std::string text = absl::StrCat(table.title, "\n");
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string air(widths[i] - Width(line[i]), ' ');
      absl::StrAppend(&text, i == 0 ? "  " : "   ", line[i],
                      i + 1 < line.size() ? air : "");
    }
    text += '\n';
  }
  return text;
}

std::string TableMarkdown(const ResultTable& table) {
  std::string text = absl::StrCat("**", table.title, "**");
  if (table.has_paper()) {
    absl::StrAppend(&text, " In brackets: ", table.paper_title, ".");
  }
  absl::StrAppend(&text, "\n\n| ", table.row_axis, " | ",
                  absl::StrJoin(table.columns, " | "), " |\n|---|");
  for (size_t c = 0; c < table.columns.size(); ++c) text += "---|";
  text += '\n';
  for (size_t r = 0; r < table.rows.size(); ++r) {
    absl::StrAppend(&text, "| ", table.rows[r], " |");
    for (size_t c = 0; c < table.columns.size(); ++c) {
      absl::StrAppend(&text, " ", Marked(table, r, c), " |");
    }
    text += '\n';
  }
  return text;
}

}  // namespace xla_byol
