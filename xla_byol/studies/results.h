// What came out of a study's runs: one JSON object a line in results.jsonl.
//
//   {"study":"ridge","values":{"predictor.kind":"NS2","predictor.ridge":0.15},
//    "seed":0,"linear_top1":0.86,"linear_top5":0.99,"knn_top1":0.8,
//    "feature_rank":9.1,"seconds":211,"plugin":"cpu ...","commit":"1ef9...",
//    "run":"ns2-ridge-0.15-seed-0", ...}
//
// The file is made anew from the finished runs each time, so it does not depend
// on how often a study was stopped or killed: only `seconds` does.

#ifndef XLA_BYOL_STUDIES_RESULTS_H_
#define XLA_BYOL_STUDIES_RESULTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/metrics/metrics_record.h"
#include "xla_byol/studies/study_plan.h"

namespace xla_byol {

inline constexpr char kResultsFile[] = "results.jsonl";

// With what a run was made.
struct Provenance {
  std::string plugin;
  std::string commit;
  // Flags of `train` that change its results beside the config; mostly empty.
  std::string flags;

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

struct StudyResult {
  std::string study;
  std::string run;  // StudyRun::name
  NamedTexts values;
  uint64_t seed = 0;
  // Of the last evaluation, of the last diagnostics, and `seconds`.
  std::vector<std::pair<std::string, double>> measures;
  Provenance provenance;
  // "predictors/ns-seed-0" if that study trained it (shared_runs.h).
  std::string taken_from;

  // NaN if there is none.
  double Measure(absl::string_view name) const;
};

// Where a run of the study in `study_dir` is kept.
std::string RunDirectoryOf(absl::string_view study_dir, const StudyRun& run);

// Remembers with what the run is made, before it is trained.
absl::Status WriteProvenance(const std::string& run_dir,
                             const Provenance& provenance);

// "unknown" where it does not say.
Provenance ReadProvenance(const std::string& run_dir);

// The evaluation of a run that has come to its end; nothing before that.
absl::StatusOr<std::optional<MetricsRecord>> FinalEvaluation(
    const std::string& run_dir, const Config& config);

// The result of a run that is complete, nothing if it is not.
// FAILED_PRECONDITION if the folder holds a complete run of another config,
// with the fields that differ.
absl::StatusOr<std::optional<StudyResult>> ReadFinishedRun(
    absl::string_view study_dir, absl::string_view study, const StudyRun& run);

// Replaces results.jsonl by the results of the runs that are complete, in the
// plan's order, and returns them.
absl::StatusOr<std::vector<StudyResult>> CollectResults(
    absl::string_view study_dir, const StudyPlan& plan);

// A line without its end; and the lines of a file, DATA_LOSS with the line's
// number if one is broken.
std::string ToJson(const StudyResult& result);
absl::StatusOr<std::vector<StudyResult>> ParseResults(absl::string_view text,
                                                      absl::string_view source);

}  // namespace xla_byol

#endif  // XLA_BYOL_STUDIES_RESULTS_H_
