// Chen and He 2021: BYOL whose targets are the online network's own latents,
// held fixed.

#include "xla_byol/methods/losses.h"
#include "xla_byol/methods/method.h"

namespace xla_byol {
namespace {

// 4 + 4 times the authors' negative cosine.
graph::Value Loss(const Config&, const MethodInputs& in) {
  return RegressionLoss(in.predictions.view1, in.targets.view2) +
         RegressionLoss(in.predictions.view2, in.targets.view1);
}

}  // namespace

const MethodRow kSimSiam = {.kind = Method::SIMSIAM,
                            .has_target = false,
                            .has_predictor = true,
                            .loss = Loss};

}  // namespace xla_byol
