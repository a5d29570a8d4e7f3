#include "xla_byol/input/jpeg_decoder.h"

#include <csetjmp>
#include <cstddef>
#include <cstdio>

// jpeglib.h needs size_t and FILE.
#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::input {
namespace {

// A progressive file of a few kilobytes can ask for any number of passes over
// all pixels; encoders write about ten.
constexpr int kMaxScans = 100;

// Rows handed to libjpeg at a time: no fewer than it makes at once.
constexpr int kRowsPerCall = 16;

// Columns beyond the wanted ones that keep the edge of libjpeg's window, where
// its upsampling has no neighbour to look at, away from them.
constexpr int32_t kMargin = 2;

// RGB or luma from Adobe's (inverted) or plain CMYK.
void ConvertInks(const uint8_t* inks, int32_t width, bool inverted,
                 int channels, uint8_t* out) {
  for (int32_t x = 0; x < width; ++x, inks += 4) {
    int rgb[3];
    for (int c = 0; c < 3; ++c) {
      const int color = inverted ? inks[c] : 255 - inks[c];
      const int light = inverted ? inks[3] : 255 - inks[3];
      rgb[c] = (color * light + 127) / 255;
    }
    if (channels == 3) {
      for (int value : rgb) *out++ = static_cast<uint8_t>(value);
    } else {
      *out++ = static_cast<uint8_t>(
          (rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 32768) >> 16);
    }
  }
}

}  // namespace

// libjpeg reports errors through callbacks that must not return. Ours jump back
// into the function below that called libjpeg; these functions hold no object
// with a destructor, since a jump would not run it.
struct JpegDecoder::State {
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];

  static State& Of(j_common_ptr info) {
    return *static_cast<State*>(info->client_data);
  }

  [[noreturn]] static void Fail(j_common_ptr info) {
    State& state = Of(info);
    info->err->format_message(info, state.message);
    std::longjmp(state.jump, 1);
  }

  static void Warn(j_common_ptr info, int level) {
    if (level >= 0) return;  // A trace message.
    switch (info->err->msg_code) {
      case JWRN_JPEG_EOF:
      case JWRN_HIT_MARKER:
      case JWRN_HUFF_BAD_CODE:
      case JWRN_MUST_RESYNC:
        Fail(info);
      default:
        break;
    }
  }

  static void CheckProgress(j_common_ptr info) {
    if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <=
        kMaxScans) {
      return;
    }
    State& state = Of(info);
    std::snprintf(state.message, sizeof(state.message),
                  "more than %d progressive scans", kMaxScans);
    std::longjmp(state.jump, 1);
  }

  bool Create() {
    info = {};
    info.err = jpeg_std_error(&errors);
    errors.error_exit = Fail;
    errors.emit_message = Warn;
    errors.output_message = [](j_common_ptr) {};
    info.client_data = this;
    if (setjmp(jump) != 0) return false;
    jpeg_create_decompress(&info);
    progress = {};
    progress.progress_monitor = CheckProgress;
    info.progress = &progress;
    return true;
  }

  bool ReadHeader(const unsigned char* data, size_t size) {
    if (setjmp(jump) != 0) return false;
    jpeg_mem_src(&info, data, static_cast<unsigned long>(size));
    jpeg_read_header(&info, TRUE);
    return true;
  }

  // Starts decoding with libjpeg's window around columns [*x, *x + *width),
  // which become the ones it delivers.
  bool Start(J_COLOR_SPACE color, int denominator, JDIMENSION* x,
             JDIMENSION* width) {
    if (setjmp(jump) != 0) return false;
    info.out_color_space = color;
    info.scale_num = 1;
    info.scale_denom = static_cast<unsigned>(denominator);
    jpeg_start_decompress(&info);
    *x = std::min(*x, info.output_width - 1);
    *width = std::min(*width, info.output_width - *x);
    if (*width < info.output_width) jpeg_crop_scanline(&info, x, width);
    return true;
  }

  bool Skip(JDIMENSION rows) {
    if (setjmp(jump) != 0) return false;
    if (rows > 0) jpeg_skip_scanlines(&info, rows);
    return true;
  }

  bool ReadRows(uint8_t* out, size_t stride, JDIMENSION rows) {
    if (setjmp(jump) != 0) return false;
    const JDIMENSION end = info.output_scanline + rows;
    while (info.output_scanline < end) {
      JSAMPROW pointers[kRowsPerCall];
      const JDIMENSION done = info.output_scanline + rows - end;
      const JDIMENSION ask = std::min<JDIMENSION>(kRowsPerCall, rows - done);
      for (JDIMENSION r = 0; r < ask; ++r)
        pointers[r] = out + (done + r) * stride;
      jpeg_read_scanlines(&info, pointers, ask);
    }
    return true;
  }

  absl::Status Error() {
    jpeg_abort_decompress(&info);
    return absl::DataLossError(absl::StrCat("broken JPEG: ", message));
  }
};

JpegDecoder::JpegDecoder() : state_(std::make_unique<State>()) {
  // Fails only without memory for a few kilobytes.
  state_->Create();
}

JpegDecoder::~JpegDecoder() { jpeg_destroy_decompress(&state_->info); }

absl::StatusOr<ImageSize> JpegDecoder::Open(absl::string_view bytes) {
  jpeg_abort_decompress(&state_->info);
  if (!state_->ReadHeader(reinterpret_cast<const unsigned char*>(bytes.data()),
                          bytes.size())) {
    return state_->Error();
  }
  const ImageSize size = {static_cast<int32_t>(state_->info.image_width),
                          static_cast<int32_t>(state_->info.image_height)};
  if (int64_t{size.width} * size.height > kMaxImagePixels) {
    return absl::DataLossError(
        absl::StrCat("JPEG of ", size.width, " x ", size.height,
                     " pixels is larger than any photo"));
  }
  return size;
}

absl::StatusOr<DecodedRegion> JpegDecoder::Decode(const Rect& region,
                                                  int channels,
                                                  int denominator) {
  jpeg_decompress_struct& info = state_->info;
  const bool inks =
      info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  const J_COLOR_SPACE color =
      inks ? JCS_CMYK : (channels == 3 ? JCS_RGB : JCS_GRAYSCALE);
  const int32_t left = std::max(0, region.x - kMargin * denominator);
  const int32_t right =
      std::min(static_cast<int32_t>(info.image_width),
               region.x + region.width + kMargin * denominator);
  auto scaled_down = [&](int32_t value) { return value / denominator; };
  auto scaled_up = [&](int32_t value) {
    return (value + denominator - 1) / denominator;
  };
  JDIMENSION x = static_cast<JDIMENSION>(scaled_down(left));
  JDIMENSION width = static_cast<JDIMENSION>(scaled_up(right)) - x;
  if (!state_->Start(color, denominator, &x, &width)) return state_->Error();

  const JDIMENSION top = std::min(
      static_cast<JDIMENSION>(scaled_down(region.y)), info.output_height - 1);
  const JDIMENSION bottom =
      std::min(static_cast<JDIMENSION>(scaled_up(region.y + region.height)),
               info.output_height);
  const JDIMENSION rows = bottom - top;
  const size_t stride = size_t{width} * static_cast<size_t>(channels);
  pixels_.resize(stride * rows);
  if (!state_->Skip(top)) return state_->Error();
  if (!inks) {
    if (!state_->ReadRows(pixels_.data(), stride, rows)) return state_->Error();
  } else {
    inks_.resize(size_t{width} * 4);
    for (JDIMENSION row = 0; row < rows; ++row) {
      if (!state_->ReadRows(inks_.data(), inks_.size(), 1)) {
        return state_->Error();
      }
      ConvertInks(inks_.data(), static_cast<int32_t>(width),
                  info.saw_Adobe_marker, channels,
                  pixels_.data() + row * stride);
    }
  }
  jpeg_abort_decompress(&info);

  DecodedRegion result;
  result.pixels.data = pixels_.data();
  result.pixels.size = {static_cast<int32_t>(width),
                        static_cast<int32_t>(rows)};
  result.pixels.channels = channels;
  result.pixels.stride = static_cast<int64_t>(stride);
  result.x = static_cast<int32_t>(x) * denominator;
  result.y = static_cast<int32_t>(top) * denominator;
  result.denominator = denominator;
  return result;
}

}  // namespace xla_byol::input
