// k-NN: how well the nearest labelled features name a feature's class.

#ifndef XLA_BYOL_EVAL_NEAREST_NEIGHBOURS_H_
#define XLA_BYOL_EVAL_NEAREST_NEIGHBOURS_H_

#include "absl/status/statusor.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/eval/features.h"
#include "xla_byol/runtime/device_program.h"

namespace xla_byol {

// The share of `test` that the vote of the config's evaluation.neighbours
// nearest rows of `bank` gets right: BuildNeighbourVote of classifiers.h. Rows
// of both have length 1; those without a label do not count. All processes get
// the same result, from their shares of both.
absl::StatusOr<double> NearestNeighbourTop1(const Runtime& runtime,
                                            const Config& config,
                                            const Features& bank,
                                            const Features& test,
                                            ImageProgress progress);

}  // namespace xla_byol

#endif  // XLA_BYOL_EVAL_NEAREST_NEIGHBOURS_H_
