// Residual networks, version 1 with the stride on the 3x3 convolution, from
// images to features.

#ifndef XLA_BYOL_NN_RESNET_H_
#define XLA_BYOL_NN_RESNET_H_

#include <cstdint>

#include "xla_byol/nn/architecture.h"
#include "xla_byol/nn/layers.h"

namespace xla_byol::nn {

struct ResNetOptions {
  Architecture architecture;
  // Channels of the stem and of the first stage's inner convolutions; each
  // stage doubles them. 64 in the literature, times a width multiplier.
  int64_t channels = 64;
  Stem stem;
  PaddingStyle padding = PaddingStyle::kSame;
  // The last norm of every block starts at 0, the block as the identity.
  bool zero_init_residual = false;
  // Recomputes each block in the backward pass instead of keeping its
  // activations.
  bool rematerialize = false;
};

// images[n,h,w,c] -> features[n, channels of the last block]. Variables:
// stem/conv, stem/norm, stage{s}/block{b}/{conv,norm}{1,2,3} and, where a
// block's input does not fit its output, shortcut/{conv,norm}. With
// PaddingStyle::kSame the first block of every stage has a shortcut
// convolution, as in the reference; with kTorch only where it is needed, as in
// torchvision.
graph::Value ResNet(Variables& variables, graph::Value images,
                    const ResNetOptions& options, const BatchNormOptions& norm);

}  // namespace xla_byol::nn

#endif  // XLA_BYOL_NN_RESNET_H_
