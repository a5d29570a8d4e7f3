// What a study will cost before it is begun.

#ifndef XLA_BYOL_STUDIES_STUDY_COST_H_
#define XLA_BYOL_STUDIES_STUDY_COST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/studies/results.h"
#include "xla_byol/studies/study_plan.h"

namespace xla_byol {

// Rows of a scaling.csv that `scale` wrote (docs/scaling.md), as costs of a
// step. Points that do not fit in memory are left out. INVALID_ARGUMENT if it
// is no such file.
absl::StatusOr<std::vector<Cost>> ReadScalingCosts(absl::string_view csv,
                                                   absl::string_view source);

// How many runs there are and how many are left, how long that takes here one
// after the other and `jobs` at a time, and on each topology of `costs` the
// slice-hours of those that are left. Runs of a batch size that a topology has
// no row for are counted as such, not guessed.
std::string DescribeCost(const StudyPlan& plan,
                         absl::Span<const StudyRun> chosen,
                         absl::Span<const StudyResult> results,
                         absl::Span<const Cost> costs, int jobs);

}  // namespace xla_byol

#endif  // XLA_BYOL_STUDIES_STUDY_COST_H_
