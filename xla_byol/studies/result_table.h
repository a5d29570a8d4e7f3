// Results as the paper lays them out: a row for each label of one axis, a
// column for each of another (or for each measure), mean and deviation over
// seeds, the best of each row and of all marked.

#ifndef XLA_BYOL_STUDIES_RESULT_TABLE_H_
#define XLA_BYOL_STUDIES_RESULT_TABLE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/studies/results.h"
#include "xla_byol/studies/study_plan.h"

namespace xla_byol {

struct TableCell {
  int runs = 0;     // that are complete
  int planned = 0;  // 0: the study has no such point
  double mean = 0;
  // Of the sample (n - 1); 0 with one run.
  double deviation = 0;
  // The best of its row (with columns of an axis) or of its column (with
  // columns of measures), and the best of all.
  bool best = false;
  bool best_of_all = false;
  std::string paper;  // the paper's number; empty: none
};

struct ResultTable {
  std::string title;
  std::string paper_title;  // empty: nothing of the paper is beside it
  std::string row_axis;
  std::string column_axis;            // empty: columns are measures
  std::vector<std::string> measures;  // of the columns, or the one of all
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<std::vector<TableCell>> cells;  // [row][column]

  bool has_paper() const { return !paper_title.empty(); }
  // "86.02 ± 0.31": shares of 1 (…_top1, …_top5) are given in percent.
  std::string CellText(size_t row, size_t column) const;
  const std::string& MeasureOf(size_t column) const {
    return column_axis.empty() ? measures[column] : measures[0];
  }
};

// Whether a measure is a share of 1 that people read in percent.
bool IsShare(absl::string_view measure);
// What people call a measure: "linear probe, top 1".
std::string MeasureTitle(absl::string_view measure);

// Of all results that the plan has a run for.
ResultTable MakeTable(const StudyPlan& plan, const Table& layout,
                      absl::Span<const StudyResult> results);
std::vector<ResultTable> MakeTables(const StudyPlan& plan,
                                    absl::Span<const StudyResult> results);

// Aligned columns for a terminal, and Markdown, where the best of a row is
// underlined and the best of all bold, as in the paper.
std::string TableText(const ResultTable& table);
std::string TableMarkdown(const ResultTable& table);

}  // namespace xla_byol

#endif  // XLA_BYOL_STUDIES_RESULT_TABLE_H_
