// Trains the runs of a study, some at a time, each a `train` of its own.

#ifndef XLA_BYOL_STUDIES_STUDY_RUNNER_H_
#define XLA_BYOL_STUDIES_STUDY_RUNNER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/studies/results.h"
#include "xla_byol/studies/study_plan.h"

namespace xla_byol {

struct StudyOptions {
  std::string study_dir;
  std::string train;                     // the program
  std::vector<std::string> train_flags;  // for every run
  int jobs = 1;                          // at a time
  // A folder of studies whose runs may count here (shared_runs.h); empty: none.
  std::string reuse;
  Provenance provenance;
};

// Writes a run's config where `train` is told to read it, and what it is made
// with; returns the arguments of `train`.
absl::StatusOr<std::vector<std::string>> PrepareRun(
    const StudyRun& run, const StudyOptions& options);

// Trains those of `chosen` that are not complete and that no study in
// `options.reuse` has, shows how far they are, and
// keeps results.jsonl and study.html up to date. Killed at any moment, the same
// call goes on: runs resume, and results come from complete runs alone.
//
// CANCELLED once a signal (stop_signal.h) asked for a stop and the runs have
// saved their state. A run that fails does not stop the others; at the end
// UNKNOWN names those that failed, with their last words.
absl::Status RunStudy(const StudyPlan& plan, absl::Span<const StudyRun> chosen,
                      const StudyOptions& options);

}  // namespace xla_byol

#endif  // XLA_BYOL_STUDIES_STUDY_RUNNER_H_
