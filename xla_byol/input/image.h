// 8-bit pixels in memory, channels interleaved.

#ifndef XLA_BYOL_INPUT_IMAGE_H_
#define XLA_BYOL_INPUT_IMAGE_H_

#include <cstdint>

namespace xla_byol::input {

struct ImageSize {
  int32_t width = 0;
  int32_t height = 0;

  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

// A view of pixels that someone else owns: row y begins at data + y * stride.
struct ImageView {
  const uint8_t* data = nullptr;
  ImageSize size;
  int channels = 0;
  int64_t stride = 0;
};

// No image in use has more pixels than this. A header can claim 4 gigapixels in
// a few bytes; such a claim is refused before memory is asked for.
inline constexpr int64_t kMaxImagePixels = int64_t{1} << 26;

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_IMAGE_H_
