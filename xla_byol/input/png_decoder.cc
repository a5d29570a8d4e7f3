#include "xla_byol/input/png_decoder.h"

#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::input {
namespace {

// A compressed text chunk can grow a thousandfold; nothing that we read needs
// more than a palette.
constexpr png_alloc_size_t kMaxChunkBytes = 1 << 20;

// Deflate makes at most this many bytes of one; a header that claims more
// pixels than that is refused before memory is asked for.
constexpr uint64_t kMaxInflation = 1032;

// Everything that a jump out of libpng must not lose, and nothing that needs a
// destructor while one may happen.
struct Reading {
  const uint8_t* next = nullptr;
  size_t left = 0;
  char message[128] = "unknown error";
  png_structp png = nullptr;
  png_infop info = nullptr;

  ~Reading() { png_destroy_read_struct(&png, &info, nullptr); }

  [[noreturn]] static void Fail(png_structp png, png_const_charp message) {
    Reading& reading = *static_cast<Reading*>(png_get_error_ptr(png));
    std::snprintf(reading.message, sizeof(reading.message), "%s", message);
    png_longjmp(png, 1);
  }

  static void Read(png_structp png, png_bytep out, size_t count) {
    Reading& reading = *static_cast<Reading*>(png_get_io_ptr(png));
    if (count > reading.left) Fail(png, "data ends too early");
    std::memcpy(out, reading.next, count);
    reading.next += count;
    reading.left -= count;
  }

  bool Start(int channels) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_read_fn(png, this, Read);
    png_set_chunk_malloc_max(png, kMaxChunkBytes);
    png_set_user_limits(png, kMaxImagePixels, kMaxImagePixels);
    png_read_info(png, info);
    png_set_expand(png);
    png_set_strip_16(png);
    png_set_strip_alpha(png);
    const bool color =
        (png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR) != 0;
    if (channels == 3 && !color) png_set_gray_to_rgb(png);
    if (channels == 1 && color) png_set_rgb_to_gray(png, 1, 0.299, 0.587);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    return true;
  }

  bool ReadRows(uint8_t* out, size_t stride, uint32_t rows, int passes) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    for (int pass = 0; pass < passes; ++pass) {
      for (uint32_t row = 0; row < rows; ++row) {
        png_read_row(png, out + row * stride, nullptr);
      }
    }
    // The end chunk, with the checksum of the last pixels before it.
    png_read_end(png, nullptr);
    return true;
  }

  absl::Status Error() const {
    return absl::DataLossError(absl::StrCat("broken PNG: ", message));
  }
};

uint32_t BigEndian32(const char* bytes) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

}  // namespace

absl::StatusOr<ImageSize> ReadPngSize(absl::string_view bytes) {
  constexpr size_t kHeaderBytes = 26;  // Signature, length, "IHDR", sizes.
  if (bytes.size() < kHeaderBytes || bytes.substr(12, 4) != "IHDR") {
    return absl::DataLossError("broken PNG: no header");
  }
  const uint32_t width = BigEndian32(bytes.data() + 16);
  const uint32_t height = BigEndian32(bytes.data() + 20);
  const uint64_t pixels = uint64_t{width} * height;
  if (pixels == 0 || pixels > uint64_t{kMaxImagePixels} ||
      pixels / 8 > bytes.size() * kMaxInflation) {
    return absl::DataLossError(
        absl::StrCat("broken PNG: size of ", width, " x ", height, " pixels"));
  }
  return ImageSize{static_cast<int32_t>(width), static_cast<int32_t>(height)};
}

absl::Status DecodePng(absl::string_view bytes, int channels,
                       std::vector<uint8_t>& pixels) {
  ASSIGN_OR_RETURN(const ImageSize size, ReadPngSize(bytes));
  Reading reading;
  reading.next = reinterpret_cast<const uint8_t*>(bytes.data());
  reading.left = bytes.size();
  reading.png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, Reading::Fail,
                             [](png_structp, png_const_charp) {});
  if (reading.png == nullptr) {
    return absl::ResourceExhaustedError("libpng has no memory");
  }
  reading.info = png_create_info_struct(reading.png);
  if (!reading.Start(channels)) return reading.Error();

  const size_t stride =
      static_cast<size_t>(size.width) * static_cast<size_t>(channels);
  if (png_get_image_width(reading.png, reading.info) !=
          static_cast<png_uint_32>(size.width) ||
      png_get_image_height(reading.png, reading.info) !=
          static_cast<png_uint_32>(size.height) ||
      png_get_rowbytes(reading.png, reading.info) != stride) {
    return absl::DataLossError("broken PNG: two headers disagree");
  }
  pixels.resize(stride * static_cast<size_t>(size.height));
  const int passes =
      png_get_interlace_type(reading.png, reading.info) == PNG_INTERLACE_ADAM7
          ? 7
          : 1;
  if (!reading.ReadRows(pixels.data(), stride,
                        static_cast<uint32_t>(size.height), passes)) {
    return reading.Error();
  }
  return absl::OkStatus();
}

}  // namespace xla_byol::input
