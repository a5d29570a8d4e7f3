// Decodes PNG files with libpng, as TensorFlow does: palettes and low bit
// depths expanded, 16 bits cut to the upper 8, transparency dropped.

#ifndef XLA_BYOL_INPUT_PNG_DECODER_H_
#define XLA_BYOL_INPUT_PNG_DECODER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/input/image.h"

namespace xla_byol::input {

// The size that the header states; DataLoss if there is no sound header.
absl::StatusOr<ImageSize> ReadPngSize(absl::string_view bytes);

// Decodes the whole image (PNG has no cheaper part) with 3 channels (grey is
// repeated) or 1 (luma) into `pixels`, dense. A broken or truncated file is
// DataLoss with libpng's words.
absl::Status DecodePng(absl::string_view bytes, int channels,
                       std::vector<uint8_t>& pixels);

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_PNG_DECODER_H_
