// Which part of an image a view shows.

#ifndef XLA_BYOL_INPUT_CROP_H_
#define XLA_BYOL_INPUT_CROP_H_

#include <array>
#include <cstdint>

namespace xla_byol::input {

// Pixels [x, x + width) x [y, y + height).
struct Rect {
  int32_t x = 0;
  int32_t y = 0;
  int32_t width = 0;
  int32_t height = 0;

  friend bool operator==(const Rect&, const Rect&) = default;
};

// The ranges of a random crop; the defaults are the reference's.
struct CropOptions {
  double min_area = 0.08;  // Share of the image.
  double max_area = 1.0;
  double min_aspect = 3.0 / 4;  // Width over height.
  double max_aspect = 4.0 / 3;
};

// The reference's random crop of an image of width x height (both >= 1), from
// four random words (area, aspect, x, y): area uniform, logarithm of the aspect
// uniform, both sides rounded (half to even, as TensorFlow) and cut to the
// image, the offset uniform over all places where the window fits. One draw, no
// retries.
Rect RandomCrop(int32_t width, int32_t height, const CropOptions& options,
                const std::array<uint32_t, 4>& words);

// The reference's crop for evaluation: the central square of floor(share * the
// shorter side); share is in (0, 1] and 224 / 256 in the reference. Odd margins
// leave the extra pixel at the top and left.
Rect CenterCrop(int32_t width, int32_t height, double share);

// The smallest window that holds both.
Rect Union(const Rect& a, const Rect& b);

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_CROP_H_
