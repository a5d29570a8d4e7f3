// Closed-form linear predictors: P as a function of a batch's latents.
//
// Z[b,f] are the online network's latents and Z'[b,f] the target's, row by row
// of the same images. A closed form sees them through f x f matrices only, so
// that a batch spread over replicas costs one all-reduce whatever its size.

#ifndef XLA_BYOL_PREDICTORS_CLOSED_FORM_H_
#define XLA_BYOL_PREDICTORS_CLOSED_FORM_H_

#include <cstdint>

#include "xla_byol/graph/ops.h"

namespace xla_byol::predictors {

// Sums over the global batch.
struct LatentMoments {
  graph::Value covariance;  // Z^T Z
  graph::Value cross;       // Z^T Z'
  int64_t batch;            // rows of Z over all replicas
};

// From this replica's rows, in f32; gradients do not pass.
LatentMoments MomentsOf(graph::Value z, graph::Value z_target);

enum class ClosedForm {
  kNewtonSchulz,  // (Z^T Z)^(1/2)
};

struct ClosedFormOptions {
  ClosedForm form = ClosedForm::kNewtonSchulz;
  int iterations = 9;
  // alpha: added to the diagonal of the result.
  double ridge = 0;
  // Divides the moments by the batch size, as the paper's text does and its
  // pseudo-code does not.
  bool normalize_covariance = false;
};

// The batchwise predictor, ridge included: [f, f].
graph::Value BatchwisePredictor(const ClosedFormOptions& options,
                                const LatentMoments& moments);

}  // namespace xla_byol::predictors

#endif  // XLA_BYOL_PREDICTORS_CLOSED_FORM_H_
