// Decodes the wanted part of a JPEG with libjpeg-turbo.
//
// Most of a JPEG's decoding time is Huffman decoding, which cannot skip: it
// must run from the first row to the last one wanted. So one decode of the
// union of two windows always costs less than two decodes, and stopping after
// the last wanted row is the largest saving. Pixels are exactly those of
// libjpeg's decoding of the whole image.

#ifndef XLA_BYOL_INPUT_JPEG_DECODER_H_
#define XLA_BYOL_INPUT_JPEG_DECODER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/input/crop.h"
#include "xla_byol/input/image.h"

namespace xla_byol::input {

// What a decoder delivers: at least the wanted region, in memory of the
// decoder that is valid until its next call.
struct DecodedRegion {
  ImageView pixels;
  // Position of pixels within the whole image, and how many pixels of the
  // whole image (a side) one pixel stands for: 1, 2, 4 or 8.
  int32_t x = 0;
  int32_t y = 0;
  int denominator = 1;
};

// One thread's decoder: libjpeg's structures and the pixel memory are reused
// from image to image. Not copyable, not thread-safe.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  // Reads the header. `bytes` must stay valid until the decoding is done.
  // DataLoss, with libjpeg's words, if it is broken.
  absl::StatusOr<ImageSize> Open(absl::string_view bytes);

  // After Open, once. `region` lies within the image. Grey, YCbCr, RGB, CMYK
  // and YCCK files give 3 channels (RGB) or 1 (luma; for CMYK too). With a
  // denominator of 2, 4 or 8 the result has that fraction of the pixels a side,
  // made from the low frequencies alone, which also is a good low-pass filter.
  // Broken or missing data before the last wanted row is DataLoss; harmless
  // oddities, like stray bytes between segments, are let pass.
  absl::StatusOr<DecodedRegion> Decode(const Rect& region, int channels,
                                       int denominator);

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::vector<uint8_t> pixels_;
  std::vector<uint8_t> inks_;  // Four-channel rows before they become RGB.
};

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_JPEG_DECODER_H_
