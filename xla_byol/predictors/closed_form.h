// Closed-form linear predictors: P as a function of a batch's latents.
//
// Z[b,f] are the online network's latents and Z'[b,f] the target's, row by row
// of the same images. A closed form sees them through f x f matrices only, so
// that a batch spread over replicas costs one all-reduce whatever its size, and
// every replica has the same P. docs/predictors.md compares them.

#ifndef XLA_BYOL_PREDICTORS_CLOSED_FORM_H_
#define XLA_BYOL_PREDICTORS_CLOSED_FORM_H_

#include <cstdint>
#include <functional>

#include "absl/types/span.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol::predictors {

// Sums over a batch, which is the global one or a group of its images; a form
// pays for those that it uses.
struct LatentMoments {
  graph::Value covariance;         // Z^T Z
  graph::Value cross;              // Z^T Z'
  graph::Value target_covariance;  // Z'^T Z'
  // For a form that needs a second look: this replica's rows, and how a matrix
  // of them is added up over the batch (and divided, if the sums above are).
  graph::Value z, z_target;
  std::function<graph::Value(graph::Value)> sum;
};

// From this replica's rows, in f32; gradients do not pass. With `normalize` all
// are divided by the global batch size: the paper's text does, its pseudo-code
// does not.
LatentMoments MomentsOf(graph::Value z, graph::Value z_target, bool normalize);

struct ClosedFormOptions {
  // Of the form's matrix iteration; squarings in the spectral norms of NE.
  int iterations = 9;
  // alpha: added to the diagonal of the result.
  double ridge = 0;
  // Visser's eta.
  double visser_step = 0.001;
};

// All that there is to know of one closed form. A new one is a row of the table
// in closed_form.cc and its formula: resolving and checking a config, the step
// and the state ask here.
struct ClosedForm {
  Predictor::Kind kind;
  graph::Value (*formula)(const ClosedFormOptions&, const LatentMoments&);
  // It needs Z^T Z alone, so that the covariance may be averaged over steps
  // instead of P.
  bool of_covariance;
  // The paper's at 100 epochs, for what a config does not say.
  float ridge;
  float decay;
  int iterations;  // 0: the form has none
  // Beyond it f32 rounding in directions that the latents lack shows: it grows
  // by 9/4 a step in Newton-Schulz, by 2 in LRP.
  int max_iterations;
  bool normalize_covariance = false;
  Predictor::Average average = Predictor::PREDICTOR;
};

// All rows.
absl::Span<const ClosedForm> ClosedForms();

// The row of a kind; nullptr if the predictor is no closed form but trained, or
// none at all.
const ClosedForm* FindClosedForm(Predictor::Kind kind);

// The batchwise predictor, ridge included: [f, f]. Finite for finite moments,
// zero ones included, but for Visser beyond its range of convergence.
graph::Value BatchwisePredictor(const ClosedForm& form,
                                const ClosedFormOptions& options,
                                const LatentMoments& moments);

// The mean of the batchwise predictors of groups of `rows` rows of the global
// batch each, in its order: replica by replica. The number of replicas does not
// matter: a replica's rows are several groups, or several replicas' rows are
// one; nothing else is allowed (settings.h checks).
graph::Value GroupedPredictor(const ClosedForm& form,
                              const ClosedFormOptions& options, graph::Value z,
                              graph::Value z_target, bool normalize,
                              int64_t rows);

}  // namespace xla_byol::predictors

#endif  // XLA_BYOL_PREDICTORS_CLOSED_FORM_H_
