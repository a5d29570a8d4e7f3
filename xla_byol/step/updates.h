// The end of the step: the online network follows the gradient, the target the
// online network.

#ifndef XLA_BYOL_STEP_UPDATES_H_
#define XLA_BYOL_STEP_UPDATES_H_

#include "xla_byol/config/config.pb.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/step/predict.h"
#include "xla_byol/step/step_inputs.h"

namespace xla_byol {

// The optimizer's step for every tensor of the online network, each at its
// group's rate, and for a closed form's matrix that is trained between updates.
// `loss` is this replica's part.
void FollowGradient(const Config& config, const StepInputs& in,
                    graph::Value loss, const Predictions& predictions,
                    ValuesByPath& state);

// target <- tau target + (1 - tau) online, with the online network's new
// values, which `state` has.
void FollowOnline(const StepInputs& in, ValuesByPath& state);

}  // namespace xla_byol

#endif  // XLA_BYOL_STEP_UPDATES_H_
