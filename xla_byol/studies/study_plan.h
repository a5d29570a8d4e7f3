// A study as a list of runs: every point of its grids with every seed, each
// with its whole config.

#ifndef XLA_BYOL_STUDIES_STUDY_PLAN_H_
#define XLA_BYOL_STUDIES_STUDY_PLAN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/studies/study.pb.h"

namespace xla_byol {

// Names and values in a fixed order.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

struct StudyRun {
  // Unique in the study, and the name of its folder: "ns2-ridge-0.15-seed-0".
  std::string name;
  // Axis by axis, what tables call the point: {"predictor", "NS2"}.
  NamedTexts labels;
  // What the axes set: {"predictor.kind", "NS2"}, {"predictor.ridge", "0.15"}.
  // A point with a config of its own has it as {"config", "<its file>"}.
  NamedTexts values;
  uint64_t seed = 0;
  // Resolved, but not checked for a number of devices.
  Config config;

  // The label on an axis; empty if the run's grid has no such axis.
  absl::string_view Label(absl::string_view axis) const;
};

struct StudyPlan {
  Study study;
  std::vector<StudyRun> runs;  // in the order of the file, seeds innermost
};

// Reads a study and the configs that it names. `assignments` (--set) go to all
// runs, last. INVALID_ARGUMENT names the file and the run at fault: an unknown
// field, two runs of one name, a table's axis that does not exist.
absl::StatusOr<StudyPlan> ReadStudy(
    const std::string& path, const std::vector<std::string>& assignments);

// The runs that `only` means: terms separated by commas, all of which must
// hold. A term is a run's name, a label, "axis=label" or "seed=3"; case does
// not matter. INVALID_ARGUMENT for a term that no run has, with the nearest
// one. An empty text means all runs.
absl::StatusOr<std::vector<StudyRun>> SelectRuns(absl::Span<const StudyRun> all,
                                                 absl::string_view only);

// The labels of an axis in the order in which the runs have them.
std::vector<std::string> AxisLabels(absl::Span<const StudyRun> runs,
                                    absl::string_view axis);

}  // namespace xla_byol

#endif  // XLA_BYOL_STUDIES_STUDY_PLAN_H_
