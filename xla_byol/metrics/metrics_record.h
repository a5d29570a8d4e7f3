// What a run tells about itself: records, and the file that holds them, one
// JSON object a line:
//
//   {"kind":"train","step":12,"epoch":0.2,"time":1794816000.123,"loss":0.5}
//   {"kind":"diagnostics","step":50,...,"spectrum":{"edges":[0,0.5,1],
//    "counts":[0.9,0.1]}}
//   {"kind":"samples","step":50,...,"views":{"image":"samples/views-...png",
//    "width":280,"height":56}}

#ifndef XLA_BYOL_METRICS_METRICS_RECORD_H_
#define XLA_BYOL_METRICS_METRICS_RECORD_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla_byol {

struct Histogram {
  std::string name;
  std::vector<double> edges;   // of the bins: one more than there are counts
  std::vector<double> counts;  // or shares
};

struct MetricImage {
  std::string name;
  std::string png;  // to be written; empty in a record that was read
  int width = 0;
  int height = 0;
  std::string file;  // in the run directory; set by the log
};

// The kind of record that an evaluation makes.
inline constexpr char kEvaluation[] = "evaluation";
// The kind of the first record of a session that resumes a run; it has a time
// and no values.
inline constexpr char kResume[] = "resume";

// Names are unique in a record, and none is kind, step, epoch or time.
struct MetricsRecord {
  // "train", "diagnostics", "evaluation", "samples", "session", "resume".
  std::string kind;
  // Steps finished: what step index s gave has step s + 1, and what was
  // measured before the first step has 0.
  int64_t step = 0;
  double epoch = 0;
  // Seconds since 1970; 0: the log fills it in.
  double time = 0;
  // NaN and infinities are written as null and read as NaN.
  std::vector<std::pair<std::string, double>> values;
  std::vector<Histogram> histograms;
  std::vector<MetricImage> images;

  // NaN if there is none.
  double Value(absl::string_view name) const;
};

// Without the line's end. A record's text depends on nothing else, so that
// lines of two runs can be compared once times and rates are taken out.
std::string ToJson(const MetricsRecord& record);

// DataLoss if the line is not a record.
absl::StatusOr<MetricsRecord> ParseMetricsRecord(absl::string_view line);

// Where a run directory's records are, and the record of its last evaluation,
// which need not be one of training's.
std::string MetricsPath(absl::string_view run_dir);
std::string EvaluationPath(absl::string_view run_dir);

// Walks over the lines of a metrics file's content. A last line without its
// end was torn by a crash and does not count. A broken line in the middle is
// given as an error, and the walk goes on.
void VisitRecords(absl::string_view content,
                  absl::FunctionRef<void(absl::string_view line,
                                         absl::StatusOr<MetricsRecord> record)>
                      visit);

// The records of a run, in the file's order; NotFound if it has none yet.
// Broken lines are left out with a warning.
absl::Status VisitMetrics(absl::string_view run_dir,
                          absl::FunctionRef<void(MetricsRecord record)> visit);
absl::StatusOr<std::vector<MetricsRecord>> ReadMetrics(
    absl::string_view run_dir);

}  // namespace xla_byol

#endif  // XLA_BYOL_METRICS_METRICS_RECORD_H_
