// The encoder: from images to features, its place in the paths of tensors, and
// the names that torchvision has for them. What knows the kind of the encoder
// is here and in nn/.

#ifndef XLA_BYOL_MODEL_ENCODER_H_
#define XLA_BYOL_MODEL_ENCODER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/nn/layers.h"
#include "xla_byol/nn/resnet.h"
#include "xla_byol/nn/variables.h"

namespace xla_byol {

// The scope of its layers: online/resnet/stem/conv/w,
// batch_stats/target/resnet/stem/norm/mean.
inline constexpr absl::string_view kEncoderScope = "resnet";

nn::ResNetOptions ResNetOptionsFor(const Config& config);

// features[n, FeatureSize] of images[n,h,w,c]; call it in the network's scope.
// `differentiated`: whether gradients will be asked for.
nn::Views Encode(const Config& config, nn::Variables& variables,
                 const nn::Views& images, const nn::BatchNormOptions& norm,
                 bool differentiated);

// How views lie in memory where nothing else is wanted.
nn::ViewLayout LayoutFor(const Config& config);

// The rest of a state's path if it is that of a tensor or statistic of the
// online network's encoder: "online/resnet/stem/conv/w" has "stem/conv/w".
std::optional<absl::string_view> OnlineEncoderPath(absl::string_view path);

// torchvision's name for a variable of the encoder by its path there,
// "stage0/block1/norm2/var": "layer1.1.bn2.running_var". Empty if there is
// none.
std::string TorchvisionName(absl::string_view encoder_path);

}  // namespace xla_byol

#endif  // XLA_BYOL_MODEL_ENCODER_H_
