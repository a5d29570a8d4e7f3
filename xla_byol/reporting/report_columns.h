// Metrics records by columns, on their way to few points.

#ifndef XLA_BYOL_REPORTING_REPORT_COLUMNS_H_
#define XLA_BYOL_REPORTING_REPORT_COLUMNS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "xla_byol/metrics/metrics_record.h"
#include "xla_byol/reporting/report_run.h"

namespace xla_byol {

// The values of all records of one kind. A column that a record does not have
// is NaN there, or ends early.
class Columns {
 public:
  void Add(const MetricsRecord& record);

  // Null if no record has it.
  const std::vector<double>* Find(absl::string_view name) const;

  // At most kMaxCurvePoints; seconds count from `start`.
  ReportTable ToTable(const std::string& kind, double start) const;

 private:
  std::vector<double>& ColumnFor(const std::string& name, size_t place);

  ReportAxis axis_;
  std::vector<std::pair<std::string, std::vector<double>>> values_;
};

// A histogram's bins over the run.
class HistogramRows {
 public:
  // Bins that change during a run cannot be shown in one picture: the last ones
  // count.
  void Add(const MetricsRecord& record, const Histogram& histogram);

  // At most kMaxHeatmapColumns; seconds count from `start`.
  ReportHeatmap ToHeatmap(const std::string& name, double start) const;

 private:
  ReportAxis axis_;
  std::vector<double> edges_;
  std::vector<std::vector<double>> shares_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_REPORTING_REPORT_COLUMNS_H_
