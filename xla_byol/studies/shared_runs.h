// Runs that several studies have in common: trained once, a row in each.
//
// The run's folder is then a link to that of the study that trained it, so
// results and figures read it like any other.

#ifndef XLA_BYOL_STUDIES_SHARED_RUNS_H_
#define XLA_BYOL_STUDIES_SHARED_RUNS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/studies/results.h"
#include "xla_byol/studies/study_plan.h"

namespace xla_byol {

// Looks in all studies of the folder `studies` for a complete run that differs
// from `run` in its name only and was made with the same plugin, commit and
// flags, and links it into `study_dir`. Returns the folder of that run; empty
// if there is none, or if the run was begun here already.
//
// A link whose run is complete no longer (somebody removed it) is removed, so
// that the run can be trained here.
absl::StatusOr<std::string> TakeSharedRun(const std::string& studies,
                                          absl::string_view study_dir,
                                          const StudyRun& run,
                                          const Provenance& provenance);

// Whether a commit names one program: not if it has changes on top.
bool NamesOneProgram(absl::string_view commit);

}  // namespace xla_byol

#endif  // XLA_BYOL_STUDIES_SHARED_RUNS_H_
