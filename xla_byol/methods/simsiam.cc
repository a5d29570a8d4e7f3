// Chen and He 2021: BYOL whose targets are the online network's own latents,
// held fixed.

#include "xla_byol/methods/method.h"

namespace xla_byol {

// The loss is 4 + 4 times the authors' negative cosine.
const MethodRow kSimSiam = {.kind = Method::SIMSIAM,
                            .has_target = false,
                            .has_predictor = true,
                            .loss = CrossViewLoss};

}  // namespace xla_byol
