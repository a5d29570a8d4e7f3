// Closed-form linear predictors: P as a function of a batch's latents.
//
// Z[b,f] are the online network's latents and Z'[b,f] the target's, row by row
// of the same images. A closed form sees them through f x f matrices only, so
// that a batch spread over replicas costs one all-reduce whatever its size, and
// every replica has the same P. docs/predictors.md compares them.

#ifndef XLA_BYOL_PREDICTORS_CLOSED_FORM_H_
#define XLA_BYOL_PREDICTORS_CLOSED_FORM_H_

#include <cstdint>

#include "xla_byol/graph/ops.h"

namespace xla_byol::predictors {

// Sums over the global batch; a form pays for those that it uses.
struct LatentMoments {
  graph::Value covariance;         // Z^T Z
  graph::Value cross;              // Z^T Z'
  graph::Value target_covariance;  // Z'^T Z'
};

// From this replica's rows, in f32; gradients do not pass. With `normalize` all
// are divided by the global batch size: the paper's text does, its pseudo-code
// does not.
LatentMoments MomentsOf(graph::Value z, graph::Value z_target, bool normalize);

enum class ClosedForm {
  kNewtonSchulz,  // (Z^T Z)^(1/2)
  kLrp,           // (Z^T Z)^+ Z^T Z'
  kNe,            // 2 Z^T Z' - Z^T Z Z^T Z'; Z, Z', result of spectral norm 1
  kVisser,        // (Z^T Z)^(1/2)
  kNs2,           // (Z^T Z)^(1/4)
  kStiefel,       // B Z^T Z / |B|_F, B = ((Z^T Z)^2)^(-1/2)
  kDirectPred,    // (Z^T Z / its largest eigenvalue)^(1/2)
  kDirectCopy,    // Z^T Z
};

struct ClosedFormOptions {
  ClosedForm form = ClosedForm::kNewtonSchulz;
  // Of the form's matrix iteration; squarings in the spectral norms of NE.
  int iterations = 9;
  // alpha: added to the diagonal of the result.
  double ridge = 0;
  // Visser's eta.
  double visser_step = 0.001;
};

// The batchwise predictor, ridge included: [f, f]. Finite for finite moments,
// zero ones included, but for Visser beyond its range of convergence.
graph::Value BatchwisePredictor(const ClosedFormOptions& options,
                                const LatentMoments& moments);

}  // namespace xla_byol::predictors

#endif  // XLA_BYOL_PREDICTORS_CLOSED_FORM_H_
