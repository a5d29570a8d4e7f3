// A run directory as the report sees it: few enough points to draw, whatever
// the length of the run.

#ifndef XLA_BYOL_REPORTING_REPORT_RUN_H_
#define XLA_BYOL_REPORTING_REPORT_RUN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_byol/reporting/downsample.h"

namespace xla_byol {

// A curve has at most so many points: about one per pixel.
inline constexpr size_t kMaxCurvePoints = 1000;
inline constexpr size_t kMaxHeatmapColumns = 150;

// Where points lie: at the last record of each group.
struct ReportAxis {
  std::vector<double> step;
  std::vector<double> epoch;
  std::vector<double> seconds;  // since the first record, without pauses
};

// The values of one kind of record.
struct ReportTable {
  std::string kind;
  ReportAxis axis;
  bool grouped = false;  // points stand for several records each
  std::vector<std::pair<std::string, GroupedSeries>> columns;
};

// A histogram over the run: shares of each bin, the mean over each group.
struct ReportHeatmap {
  std::string name;
  ReportAxis axis;
  std::vector<double> edges;
  std::vector<std::vector<double>> shares;  // [point][bin]
};

// The first and the last picture of a name.
struct ReportPicture {
  std::string name;
  int64_t step = 0;
  int width = 0;
  int height = 0;
  std::string png;
};

// NaN where the run has no such number.
struct ReportHeadline {
  double linear_top1, linear_top5, knn_top1, probe_accuracy;  // the last
  double loss;          // mean of the last 1 % of the steps
  double images_per_s;  // median
  double data_wait;     // mean share
  double stable_rank;   // of the predictor, by the latent size: 1 at most
  int64_t steps = 0;
  double epochs = 0;
  double seconds = 0;  // from the first record to the last, without pauses
};

struct ReportRun {
  std::string label;  // tells the run from the others on the page
  std::string name;   // the config's
  std::string directory;
  std::string config;       // as saved; empty if it is not there
  int64_t latent_size = 0;  // 0 if the config does not say
  ReportHeadline headline;
  std::vector<ReportTable> tables;
  std::vector<ReportHeatmap> heatmaps;
  std::vector<ReportPicture> pictures;
  std::string features;  // features.json, checked; empty if it is not there
};

// Errors are sentences for the user: no such directory, no metrics yet.
absl::StatusOr<ReportRun> ReadReportRun(const std::string& run_dir);

// Names that differ: the last parts of the paths, as many as it takes.
void LabelRuns(std::vector<ReportRun>& runs);

}  // namespace xla_byol

#endif  // XLA_BYOL_REPORTING_REPORT_RUN_H_
