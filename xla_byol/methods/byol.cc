// Grill et al. 2020: the online network predicts what a moving average of it
// makes of the other view.

#include "xla_byol/methods/losses.h"
#include "xla_byol/methods/method.h"

namespace xla_byol {

graph::Value CrossViewLoss(const Config&, const MethodInputs& in) {
  return RegressionLoss(in.predictions.view1, in.targets.view2) +
         RegressionLoss(in.predictions.view2, in.targets.view1);
}

const MethodRow kByol = {.kind = Method::BYOL,
                         .has_target = true,
                         .has_predictor = true,
                         .loss = CrossViewLoss};

}  // namespace xla_byol
