// What a person who waits for a study sees.

#ifndef XLA_BYOL_STUDIES_STUDY_STATUS_H_
#define XLA_BYOL_STUDIES_STUDY_STATUS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "xla_byol/studies/results.h"
#include "xla_byol/studies/study_plan.h"

namespace xla_byol {

// How far a run is that is being trained.
struct RunProgress {
  std::string name;
  int64_t step = 0;  // 0: it is starting
  int64_t total_steps = 0;
  double loss = 0;
  double images_per_s = 0;
};

struct StudyStatus {
  std::string study;
  int planned = 0;
  int complete = 0;
  int failed = 0;
  int jobs = 1;
  // Of a run, by those that are complete or else the study's own estimate; 0:
  // unknown.
  double seconds_per_run = 0;
  std::vector<RunProgress> running;
};

// By the last record of the run's metrics.
RunProgress ReadProgress(absl::string_view study_dir, const StudyRun& run);

// The mean of complete runs' seconds, or else of the study's `minutes`.
double SecondsPerRun(const Study& study, absl::Span<const StudyResult> results);

// "ridge: 12 of 84 runs complete, 2 running; about 3h07m left".
std::string StatusLine(const StudyStatus& status);
// And a line for each run that is being trained.
std::string StatusText(const StudyStatus& status);

// On a terminal a table that changes in place, with the study's first table of
// results below; elsewhere a line now and then.
class StudyConsole {
 public:
  // Takes what is shown away, before other lines are written.
  void Clear();
  void Update(const StudyStatus& status, const std::string& table,
              absl::Time now);

 private:
  int lines_ = 0;  // on the terminal now
  absl::Time next_ = absl::InfinitePast();
};

}  // namespace xla_byol

#endif  // XLA_BYOL_STUDIES_STUDY_STATUS_H_
