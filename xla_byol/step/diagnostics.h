// What explains a run: the predictor's distance from an orthogonal projection,
// the latents' spectrum, the sources of the loss. A step built without them
// pays nothing for them.

#ifndef XLA_BYOL_STEP_DIAGNOSTICS_H_
#define XLA_BYOL_STEP_DIAGNOSTICS_H_

#include <string>
#include <utility>
#include <vector>

#include "xla_byol/graph/ops.h"
#include "xla_byol/model/networks.h"

namespace xla_byol {

using NamedValues = std::vector<std::pair<std::string, graph::Value>>;

// Of rows[b,n] scaled to length 1, the mean over coordinates of the standard
// deviation over the global batch: about 1 / sqrt(n) in health, 0 when all
// images look alike.
graph::Value UnitSpread(graph::Value rows);

// Of P[f,f] divided by its spectral norm, since the loss does not see P's
// scale. Norms are spectral but for the polar distance. All f32 scalars:
//   predictor_trace, predictor_stable_rank   f for the identity
//   predictor_projection_error   |P^2 - P|: P is an epsilon-quasi-projection
//   predictor_asymmetry          |P - P^T|
//   predictor_polar_distance     |P - U|_F / sqrt(f), U P's orthogonal factor
NamedValues PredictorDiagnostics(graph::Value p);

// The loss without normalization that the best linear predictor of this batch
// leaves, |Proj (Z'_xi)|_F^2 with Proj onto the complement of span(Z_theta),
// and its two sources, per image:
//   residual_loss         the whole: of t2 - z1
//   residual_resampling   of t2 - t1: another view, the same network
//   residual_ema          of t1 - z1: the same view, another network
// The whole is not the sum of both: they may point the same way.
NamedValues LossDecomposition(const ViewPair& online, const ViewPair& target);

// Z^T Z / b of latents[b,f] over the global batch: [f,f]. spectrum.h has the
// rest.
graph::Value LatentCovariance(graph::Value latents);

}  // namespace xla_byol

#endif  // XLA_BYOL_STEP_DIAGNOSTICS_H_
