// The predictor's part of the step: from latents to predictions.

#ifndef XLA_BYOL_STEP_PREDICT_H_
#define XLA_BYOL_STEP_PREDICT_H_

#include "xla_byol/config/config.pb.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/model/networks.h"
#include "xla_byol/step/step_inputs.h"

namespace xla_byol {

// What the predictor makes of the online latents.
struct Predictions {
  ViewPair views;
  // If the predictor is one matrix [f,f]: that, closed or trained.
  graph::Value matrix;
  // If it is a closed form's. Gradients reach it only where it is trained
  // between updates.
  graph::Value closed_form;
};

// A closed form of this batch's latents, trained layers, or nothing at all, as
// predictor.kind says. `state` gets the closed form's next matrices.
Predictions Predict(const Config& config, StepInputs& in,
                    const ViewPair& online, const ViewPair& target,
                    ValuesByPath& state);

}  // namespace xla_byol

#endif  // XLA_BYOL_STEP_PREDICT_H_
