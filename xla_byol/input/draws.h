// The random numbers of one view of one image.
//
// They depend on (seed, epoch, index, view) alone: not on threads, devices,
// hosts, the step, or on what was drawn before. Every number has a counter of
// its own, so changing one option never shifts another number.

#ifndef XLA_BYOL_INPUT_DRAWS_H_
#define XLA_BYOL_INPUT_DRAWS_H_

#include <array>
#include <cstdint>

#include "xla_byol/augment/augmentation_draws.h"
#include "xla_byol/input/crop.h"

namespace xla_byol::input {

// How often and how strongly a view is changed. Defaults are the reference's
// for both views; the two fields that differ are set by ReferenceView().
struct AugmentationOptions {
  CropOptions crop;
  double flip_probability = 0.5;
  double jitter_probability = 0.8;
  double brightness = 0.4;  // Added: uniform in [-brightness, brightness).
  double contrast = 0.4;    // Factor: uniform in [1 - contrast, 1 + contrast).
  double saturation = 0.2;  // Factor: uniform in [1 - .., 1 + ..).
  double hue = 0.1;         // Added to the hue (in turns): [-hue, hue).
  double grayscale_probability = 0.2;
  double blur_probability = 1.0;
  double min_blur_sigma = 0.1;
  double max_blur_sigma = 2.0;
  double solarize_probability = 0.0;
};

// The reference's options for view 0 (always blurred, never solarized) and
// view 1 (blurred with p = 0.1, solarized with p = 0.2).
AugmentationOptions ReferenceView(int view);

// Names one view of one image in one epoch.
struct DrawKey {
  uint64_t seed = 0;
  uint64_t epoch = 0;
  uint64_t index = 0;  // In the data set, below 2^48.
  int view = 0;
};

// Writes the kAugmentationDraws numbers that travel to the device with the
// view.
void DrawAugmentation(const DrawKey& key, const AugmentationOptions& options,
                      float* draws);

// The window of an image of width x height that the view shows.
Rect DrawCrop(const DrawKey& key, const AugmentationOptions& options,
              int32_t width, int32_t height);

// Whether the view is mirrored left to right. The host mirrors, as it costs
// nothing there: all later steps treat left and right alike.
bool DrawFlip(const DrawKey& key, const AugmentationOptions& options);

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_DRAWS_H_
