// Augmentation inside the step: colour jitter, grayscale, blur, solarization,
// in the reference's order and with its semantics. (Crop and mirror are done by
// the host, which knows the whole image.)
//
// All that is random arrives as numbers, so any platform and any number of
// devices makes the same pixels.

#ifndef XLA_BYOL_AUGMENT_AUGMENT_H_
#define XLA_BYOL_AUGMENT_AUGMENT_H_

#include <cstdint>

#include "xla_byol/graph/ops.h"

namespace xla_byol {

// uint8 pixels [b,h,w,c] and draws f32 [b,kAugmentationDraws] to f32 [b,h,w,c]
// in [0,1]. For gray images (c = 1) saturation, hue and grayscale mean nothing
// and are left out.
//
// Jitter: the four operations in the drawn order, clipped to [0,1] after each:
// x + delta; (x - mean) * factor + mean with the mean of each channel; S *
// factor and H + delta in HSV. Grayscale: weights 0.2989, 0.5870, 0.1140. Blur:
// a Gaussian of the drawn sigma on BlurTaps(h) pixels, zeros around the image.
// Solarization: 1 - x where x is at least 0.5.
graph::Value Augment(graph::Value pixels, graph::Value draws);

// The width of the blur's window; 1, no blur, below 20 pixels.
int64_t BlurTaps(int64_t height);

}  // namespace xla_byol

#endif  // XLA_BYOL_AUGMENT_AUGMENT_H_
