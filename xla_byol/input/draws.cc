#include "xla_byol/input/draws.h"

#include <algorithm>

#include "xla_byol/base/philox.h"

namespace xla_byol::input {
namespace {

// Blocks of four words; the word that a number uses is fixed for ever, since
// it is part of what makes a run repeatable.
enum Block : uint32_t {
  kCropBlock = 0,    // Area, aspect, x, y.
  kApplyBlock = 1,   // Flip, jitter, grayscale, blur.
  kJitterBlock = 2,  // Brightness, contrast, saturation, hue.
  kOtherBlock = 3,   // Order of the jitter, blur sigma, solarize, unused.
};

PhiloxBlock Words(const DrawKey& key, Block block) {
  return Philox(key.seed, {static_cast<uint32_t>(key.index),
                           static_cast<uint32_t>(key.index >> 32) |
                               static_cast<uint32_t>(key.epoch >> 32) << 16,
                           static_cast<uint32_t>(key.epoch),
                           static_cast<uint32_t>(key.view) << 8 | block});
}

bool Apply(uint32_t word, double probability) {
  return UnitUniform(word) < probability;
}

float Between(uint32_t word, double low, double high) {
  return static_cast<float>(low + (high - low) * UnitUniform(word));
}

}  // namespace

AugmentationOptions ReferenceView(int view) {
  AugmentationOptions options;
  if (view != 0) {
    options.blur_probability = 0.1;
    options.solarize_probability = 0.2;
  }
  return options;
}

void DrawAugmentation(const DrawKey& key, const AugmentationOptions& options,
                      float* draws) {
  const PhiloxBlock apply = Words(key, kApplyBlock);
  const PhiloxBlock jitter = Words(key, kJitterBlock);
  const PhiloxBlock other = Words(key, kOtherBlock);

  draws[kJitterApply] = Apply(apply[1], options.jitter_probability);
  // One of the 24 orders, unfolded by Fisher and Yates.
  uint32_t order = UniformBelow(other[0], 24);
  for (int i = 0; i < 4; ++i) draws[kJitterOrder + i] = static_cast<float>(i);
  for (uint32_t last = 3; last > 0; --last) {
    std::swap(draws[kJitterOrder + last],
              draws[kJitterOrder + order % (last + 1)]);
    order /= last + 1;
  }
  draws[kBrightnessDelta] =
      Between(jitter[0], -options.brightness, options.brightness);
  draws[kContrastFactor] =
      Between(jitter[1], 1 - options.contrast, 1 + options.contrast);
  draws[kSaturationFactor] =
      Between(jitter[2], 1 - options.saturation, 1 + options.saturation);
  draws[kHueDelta] = Between(jitter[3], -options.hue, options.hue);
  draws[kGrayscaleApply] = Apply(apply[2], options.grayscale_probability);
  draws[kBlurApply] = Apply(apply[3], options.blur_probability);
  draws[kBlurSigma] =
      Between(other[1], options.min_blur_sigma, options.max_blur_sigma);
  draws[kSolarizeApply] = Apply(other[2], options.solarize_probability);
}

Rect DrawCrop(const DrawKey& key, const AugmentationOptions& options,
              int32_t width, int32_t height) {
  return RandomCrop(width, height, options.crop, Words(key, kCropBlock));
}

bool DrawFlip(const DrawKey& key, const AugmentationOptions& options) {
  return Apply(Words(key, kApplyBlock)[0], options.flip_probability);
}

}  // namespace xla_byol::input
