// The largest batch that a machine's memory takes.

#ifndef XLA_BYOL_SCALING_BATCH_PLANNER_H_
#define XLA_BYOL_SCALING_BATCH_PLANNER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/inspect/step_compiler.h"

namespace xla_byol {

// What a compilation says about one size: the bytes that the step needs, and
// whether a device has them.
struct FitTrial {
  double needed_bytes = 0;
  double available_bytes = 0;
  bool fits = false;
};

// The largest multiple of `unit` images that fits, 0 if not even `unit` does.
// `attempt` compiles for a number of images per device.
//
// Memory grows nearly linearly with the images, so two trials at small sizes
// give a line, the line a guess, and every further trial a better one; the
// answer is only given once its size was seen to fit and the next one not to.
// All trials are kept in `trials`.
absl::StatusOr<int> LargestFitting(
    int unit, absl::FunctionRef<absl::StatusOr<FitTrial>(int)> attempt,
    std::map<int, FitTrial>& trials);

// Prints, for `config` (resolved) as it is and with execution.rematerialize,
// the largest batch per device of `topology` and its estimated time, as a table
// on stdout; writes fit.csv into `folder`. Batches are multiples of `unit`
// images per device, which must be 1 or more. NOT_FOUND for a topology whose
// memory and speed are not in the table of hardware.h.
absl::Status PlanBatch(const Config& config, const Destination& topology,
                       int unit, const std::string& folder);

}  // namespace xla_byol

#endif  // XLA_BYOL_SCALING_BATCH_PLANNER_H_
