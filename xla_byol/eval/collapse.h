// Signs of collapse: features that are the same for all images, or lie on a
// line.

#ifndef XLA_BYOL_EVAL_COLLAPSE_H_
#define XLA_BYOL_EVAL_COLLAPSE_H_

#include "absl/status/statusor.h"
#include "xla_byol/eval/features.h"
#include "xla_byol/eval/process_sums.h"

namespace xla_byol {

struct CollapseFigures {
  // The mean over coordinates of the standard deviation over images, as
  // UnitSpread of diagnostics.h: about 1 / sqrt(dimension) in health, 0 if all
  // images look alike.
  double spread = 0;
  // How many directions the features fill: trace(C)^2 / |C|_F^2 of their
  // covariance C; 0 if it is 0.
  double rank = 0;
  // The same by RankMe (Garrido et al. 2023): exp of the entropy of the
  // singular values of the centred features, which counts weak directions too;
  // 0 if all images look alike.
  double rankme = 0;
};

// Of rows of length 1, of which each process has a share. The rank is that of
// the first 2048 places, around the mean of all; RankMe is of the first 512 of
// them where features are wider than that, as it costs a cube. Features that
// are not finite give a NaN.
absl::StatusOr<CollapseFigures> MeasureCollapse(const Features& features,
                                                SumOfProcesses sum);

}  // namespace xla_byol

#endif  // XLA_BYOL_EVAL_COLLAPSE_H_
