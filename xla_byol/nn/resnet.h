// Residual networks, version 1 with the stride on the 3x3 convolution, from
// images to features.

#ifndef XLA_BYOL_NN_RESNET_H_
#define XLA_BYOL_NN_RESNET_H_

#include <cstdint>

#include "xla_byol/nn/architecture.h"
#include "xla_byol/nn/layers.h"
#include "xla_byol/nn/views.h"

namespace xla_byol::nn {

// Other ways to compute the same network, for machines where memory is the
// limit. docs/performance.md has what each brings, and
// model/execution_table.cc where each is taken.
struct Rewrites {
  // ReLU and a positive factor commute with the maximum, so the stem pools
  // before it normalizes: a quarter of the elements. The kernel takes over the
  // sign of a negative scale.
  bool pool_first = false;
  // The input gradient of a shortcut with a stride and at least so many input
  // channels is that of a convolution with stride 1 over the pixels that the
  // stride leaves, instead of one over an image full of zeros. 0: none.
  int64_t sliced_shortcuts_from = 0;
  // Stages of fewer inner channels have the views side by side in the channels.
  int64_t packed_below = 0;
  // The last convolution of a bottleneck with at most so many inner channels
  // takes its norm's statistics from its narrow input (SumsOfProducts), so that
  // norm, residual and ReLU need no pass of their own over its wide output.
  // Each view then has a kernel of its own: they are apart there.
  int64_t derived_statistics_to = 0;
};

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
  // Whether gradients will be asked for; only a hint.
  bool differentiated = true;
  // How the views lie where no rewrite wants anything else.
  ViewLayout layout = ViewLayout::kJoined;
  Rewrites rewrites;
};

// images[n,h,w,c] -> features[n, channels of the last block], of each view.
// Variables, which do not depend on rewrites:
// stem/conv, stem/norm, stage{s}/block{b}/{conv,norm}{1,2,3} and, where a
// block's input does not fit its output, shortcut/{conv,norm}. With
// PaddingStyle::kSame the first block of every stage has a shortcut
// convolution, as in the reference; with kTorch only where it is needed, as in
// torchvision.
Views ResNet(Variables& variables, const Views& images,
             const ResNetOptions& options, const BatchNormOptions& norm);

}  // namespace xla_byol::nn

#endif  // XLA_BYOL_NN_RESNET_H_
