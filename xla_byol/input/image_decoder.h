// From encoded bytes to the wanted pixels, whatever the format.

#ifndef XLA_BYOL_INPUT_IMAGE_DECODER_H_
#define XLA_BYOL_INPUT_IMAGE_DECODER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/input/crop.h"
#include "xla_byol/input/image.h"
#include "xla_byol/input/jpeg_decoder.h"

namespace xla_byol::input {

// One thread's decoder for JPEG and PNG. Names of files and features are not
// trusted: the first bytes decide (ImageNet has a PNG named .JPEG).
class ImageDecoder {
 public:
  // Reads the header. `bytes` must stay valid until the decoding is done.
  // DataLoss for broken files and for formats that we do not read, by name.
  absl::StatusOr<ImageSize> Open(absl::string_view bytes);

  // After Open, once: decodes at least `region`. See JpegDecoder::Decode; a PNG
  // is decoded whole, and never at a fraction of its size.
  absl::StatusOr<DecodedRegion> Decode(const Rect& region, int channels,
                                       int denominator);

 private:
  JpegDecoder jpeg_;
  absl::string_view png_bytes_;  // Empty when a JPEG is open.
  std::vector<uint8_t> png_pixels_;
};

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_IMAGE_DECODER_H_
