// The networks of BYOL, from a config: encoder, projector, trained predictors
// and the online probe.

#ifndef XLA_BYOL_MODEL_NETWORKS_H_
#define XLA_BYOL_MODEL_NETWORKS_H_

#include <utility>

#include "absl/strings/string_view.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/model/encoder.h"
#include "xla_byol/nn/variables.h"

namespace xla_byol {

// Something for each of the two views.
struct ViewPair {
  graph::Value view1;
  graph::Value view2;
};

struct Latents {
  graph::Value features;  // of view 1: what the probe and evaluation see
  ViewPair projections;   // [b, f] each
};

// Pixels [b,h,w,c] as the network wants them, in the compute type:
// (x / 255 - mean) / stddev of uint8 ones, (x - mean) / stddev of f32 ones in
// [0,1].
graph::Value NormalizePixels(const Config& config, graph::Value pixels,
                             graph::DType compute_type);

// Both views through the network called `name` ("online" or "target"), in
// training mode: statistics of each view are its own. `rates` are batch norm's
// weights of view 1 and view 2 in the running averages.
Latents EncodeViews(const Config& config, nn::Variables& variables,
                    absl::string_view name, const ViewPair& images,
                    const ViewPair& rates);

// One batch through the named network's encoder with running statistics.
graph::Value EncodeForEvaluation(const Config& config, nn::Variables& variables,
                                 absl::string_view name, graph::Value images);

// True if TrainedPredictions knows the kind: LINEAR and MLP.
bool IsTrainedPredictor(Predictor::Kind kind);

// The trained predictor of the online network on both views.
ViewPair TrainedPredictions(const Config& config, nn::Variables& variables,
                            const ViewPair& projections, const ViewPair& rates);

// The probe's logits for features[b, n].
graph::Value ProbeLogits(const Config& config, nn::Variables& variables,
                         graph::Value features);

}  // namespace xla_byol

#endif  // XLA_BYOL_MODEL_NETWORKS_H_
