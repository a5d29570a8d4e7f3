// Pixels as PNG files, and many small pictures as one.

#ifndef XLA_BYOL_REPORTING_PNG_ENCODER_H_
#define XLA_BYOL_REPORTING_PNG_ENCODER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/input/image.h"

namespace xla_byol {

// 1 (gray) or 3 (RGB) channels. The same pixels always give the same bytes.
absl::StatusOr<std::string> EncodePng(const input::ImageView& image);

// Pixels side by side, rows of `columns` pictures, one pixel of mid-gray
// between neighbours.
struct PictureGrid {
  std::vector<uint8_t> pixels;
  input::ImageSize size;
  int channels = 0;

  input::ImageView view() const {
    return {pixels.data(), size, channels, int64_t{size.width} * channels};
  }
};

// Of pictures [n,h,w,c] in a row, n = pixels.size() / (h * w * c). An
// incomplete last row is filled with mid-gray.
PictureGrid MakePictureGrid(absl::Span<const uint8_t> pixels,
                            input::ImageSize picture_size, int channels,
                            int columns);

}  // namespace xla_byol

#endif  // XLA_BYOL_REPORTING_PNG_ENCODER_H_
