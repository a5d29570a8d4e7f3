#include "xla_byol/input/image_decoder.h"

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/input/png_decoder.h"

namespace xla_byol::input {
namespace {

constexpr absl::string_view kJpegMagic("\xff\xd8\xff", 3);
constexpr absl::string_view kPngMagic("\x89PNG\r\n\x1a\n", 8);

absl::Status NotReadable(absl::string_view bytes) {
  constexpr struct {
    absl::string_view magic;
    absl::string_view name;
  } kOthers[] = {
      {"GIF8", "GIF"}, {"BM", "BMP"}, {"RIFF", "WebP"}, {"II*", "TIFF"}};
  if (bytes.empty()) return absl::DataLossError("image of 0 bytes");
  for (const auto& other : kOthers) {
    if (absl::StartsWith(bytes, other.magic)) {
      return absl::DataLossError(
          absl::StrCat(other.name, " image; JPEG and PNG are read"));
    }
  }
  return absl::DataLossError(
      absl::StrCat("neither JPEG nor PNG: begins with bytes ",
                   absl::BytesToHexString(bytes.substr(0, 8))));
}

}  // namespace

absl::StatusOr<ImageSize> ImageDecoder::Open(absl::string_view bytes) {
  png_bytes_ = {};
  if (absl::StartsWith(bytes, kJpegMagic)) return jpeg_.Open(bytes);
  if (absl::StartsWith(bytes, kPngMagic)) {
    png_bytes_ = bytes;
    return ReadPngSize(bytes);
  }
  return NotReadable(bytes);
}

absl::StatusOr<DecodedRegion> ImageDecoder::Decode(const Rect& region,
                                                   int channels,
                                                   int denominator) {
  if (png_bytes_.empty()) return jpeg_.Decode(region, channels, denominator);
  RETURN_IF_ERROR(DecodePng(png_bytes_, channels, png_pixels_));
  ASSIGN_OR_RETURN(const ImageSize size, ReadPngSize(png_bytes_));
  DecodedRegion result;
  result.pixels.data = png_pixels_.data();
  result.pixels.size = size;
  result.pixels.channels = channels;
  result.pixels.stride = int64_t{size.width} * channels;
  return result;
}

}  // namespace xla_byol::input
