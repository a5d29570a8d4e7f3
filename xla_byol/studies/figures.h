// Curves and pictures over training of a study's runs, means over seeds.

#ifndef XLA_BYOL_STUDIES_FIGURES_H_
#define XLA_BYOL_STUDIES_FIGURES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/reporting/report_run.h"
#include "xla_byol/studies/results.h"
#include "xla_byol/studies/study_plan.h"

namespace xla_byol {

// A metric over training for one label: the mean over runs, and between which
// values they lie.
struct FigureCurve {
  std::string label;
  int runs = 0;
  ReportAxis axis;
  std::vector<double> mean, low, high;
};

// The distribution of singular values over training for one label.
struct FigureMap {
  std::string label;
  int runs = 0;
  ReportHeatmap map;
};

struct StudyFigure {
  std::string title;
  std::string note;
  // One of them is empty.
  std::vector<FigureCurve> curves;
  std::vector<FigureMap> maps;
};

// Reads the metrics of the complete runs. A run whose records cannot be read is
// left out with a warning: results do not depend on it.
std::vector<StudyFigure> MakeFigures(const StudyPlan& plan,
                                     absl::Span<const StudyResult> results,
                                     absl::string_view study_dir);

// A JSON array, as the page draws it.
std::string FiguresJson(absl::Span<const StudyFigure> figures);

}  // namespace xla_byol

#endif  // XLA_BYOL_STUDIES_FIGURES_H_
