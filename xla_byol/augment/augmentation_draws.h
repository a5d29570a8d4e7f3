// What the numbers of one view's augmentation are: the layout that the input
// pipeline writes and the training step reads.

#ifndef XLA_BYOL_AUGMENT_AUGMENTATION_DRAWS_H_
#define XLA_BYOL_AUGMENT_AUGMENTATION_DRAWS_H_

namespace xla_byol {

// Places in a row of kAugmentationDraws float32, one row per image and view.
// Each "apply" is 1 or 0; the other numbers are drawn whether or not they are
// applied.
enum AugmentationDraw : int {
  kJitterApply = 0,
  // The colour operation to do first, second, third and fourth: a permutation
  // of the numbers of JitterOperation.
  kJitterOrder = 1,
  kBrightnessDelta = 5,
  kContrastFactor = 6,
  kSaturationFactor = 7,
  kHueDelta = 8,
  kGrayscaleApply = 9,
  kBlurApply = 10,
  kBlurSigma = 11,
  kSolarizeApply = 12,
  kAugmentationDraws = 13,
};

enum JitterOperation : int {
  kBrightness = 0,
  kContrast = 1,
  kSaturation = 2,
  kHue = 3,
  kJitterOperations = 4,
};

}  // namespace xla_byol

#endif  // XLA_BYOL_AUGMENT_AUGMENTATION_DRAWS_H_
