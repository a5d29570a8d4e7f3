// Bicubic resampling as tf.image.resize(..., BICUBIC) does it: Keys' kernel
// with a = -0.5, half-pixel centres, four taps a side whatever the scale (no
// antialiasing), taps outside of the window dropped and the rest normalised.
//
// All arithmetic is in integers (weights of 14 bits, 6 fractional bits between
// the passes), so the vector code gives the same bits as the plain code, on
// every machine. A result is within 0.55 of the exact real value before it is
// cut to 0..255: half for rounding to a byte, the rest for the weights.

#ifndef XLA_BYOL_INPUT_RESIZE_H_
#define XLA_BYOL_INPUT_RESIZE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "xla_byol/input/image.h"

namespace xla_byol::input {

// The part of an image to show. A crop of whole pixels, unless the image was
// decoded at a fraction of its size: then edges fall between pixels.
struct ResizeWindow {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

namespace internal {

inline constexpr int kTaps = 4;

// How one output coordinate is made of inputs first ... first + 3. Taps that
// are not wanted have weight 0, and may lie beyond the end of the input.
struct Taps {
  int32_t first;
  std::array<int16_t, kTaps> weights;  // Sum to 2^14.
};

// rows[t] are four input rows; writes `count` sums with 6 fractional bits.
using BlendRows = void (*)(const uint8_t* const rows[kTaps],
                           const std::array<int16_t, kTaps>& weights,
                           int64_t count, int16_t* out);
// Makes `width` output pixels from a row of blended ones. At least 16 readable
// bytes follow the last pixel of `row`.
using BlendColumns = void (*)(const int16_t* row, const Taps* taps,
                              int32_t width, int channels, uint8_t* out);

struct ResizeKernels {
  BlendRows rows;
  BlendColumns columns;
};

ResizeKernels PlainKernels();
// The fastest that this machine can run.
ResizeKernels BestKernels();

}  // namespace internal

// Holds the scratch memory of one thread.
class Resizer {
 public:
  Resizer() : Resizer(internal::BestKernels()) {}
  explicit Resizer(internal::ResizeKernels kernels) : kernels_(kernels) {}

  // Writes size.height x size.width x source.channels dense bytes to `out`.
  // The window must lie within the source and be at least a pixel wide and
  // high; 1 to 4 channels. With `flip`, the result is mirrored left to right.
  void Resize(const ImageView& source, const ResizeWindow& window,
              ImageSize size, bool flip, uint8_t* out);

 private:
  internal::ResizeKernels kernels_;
  std::vector<internal::Taps> columns_;
  std::vector<internal::Taps> rows_;
  std::vector<int16_t> blended_;
};

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_RESIZE_H_
