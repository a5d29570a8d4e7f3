#include "xla_byol/reporting/png_encoder.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace xla_byol {
namespace {

constexpr uint8_t kGap = 128;

// Everything that a jump out of libpng must not lose.
struct Writing {
  std::string bytes;
  char message[128] = "unknown error";
  png_structp png = nullptr;
  png_infop info = nullptr;

  ~Writing() { png_destroy_write_struct(&png, &info); }

  [[noreturn]] static void Fail(png_structp png, png_const_charp message) {
    Writing& writing = *static_cast<Writing*>(png_get_error_ptr(png));
    std::snprintf(writing.message, sizeof(writing.message), "%s", message);
    png_longjmp(png, 1);
  }

  static void Append(png_structp png, png_bytep data, size_t count) {
    Writing& writing = *static_cast<Writing*>(png_get_io_ptr(png));
    writing.bytes.append(reinterpret_cast<char*>(data), count);
  }

  bool Write(const input::ImageView& image) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_write_fn(png, this, Append, nullptr);
    png_set_IHDR(png, info, static_cast<png_uint_32>(image.size.width),
                 static_cast<png_uint_32>(image.size.height), 8,
                 image.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int32_t y = 0; y < image.size.height; ++y) {
      png_write_row(png, image.data + y * image.stride);
    }
    png_write_end(png, info);
    return true;
  }
};

}  // namespace

absl::StatusOr<std::string> EncodePng(const input::ImageView& image) {
  if ((image.channels != 1 && image.channels != 3) || image.size.width <= 0 ||
      image.size.height <= 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "PNG: an image of ", image.size.width, "x", image.size.height, " with ",
        image.channels, " channels; it must have pixels and 1 or 3 channels"));
  }
  Writing writing;
  writing.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writing,
                                        Writing::Fail, nullptr);
  if (writing.png != nullptr)
    writing.info = png_create_info_struct(writing.png);
  if (writing.info == nullptr) {
    return absl::ResourceExhaustedError("PNG: libpng has no memory");
  }
  if (!writing.Write(image)) {
    return absl::InternalError(absl::StrCat("PNG: ", writing.message));
  }
  return std::move(writing.bytes);
}

PictureGrid MakePictureGrid(absl::Span<const uint8_t> pixels,
                            input::ImageSize picture_size, int channels,
                            int columns) {
  const int64_t row_bytes = int64_t{picture_size.width} * channels;
  const int64_t picture_bytes = row_bytes * picture_size.height;
  const int64_t count = static_cast<int64_t>(pixels.size()) / picture_bytes;
  const int64_t across = std::min<int64_t>(count, columns);
  const int64_t down = across == 0 ? 0 : (count + across - 1) / across;
  PictureGrid grid;
  grid.channels = channels;
  if (count == 0) return grid;
  grid.size.width = static_cast<int32_t>(across * (picture_size.width + 1) - 1);
  grid.size.height = static_cast<int32_t>(down * (picture_size.height + 1) - 1);
  const int64_t stride = int64_t{grid.size.width} * channels;
  grid.pixels.assign(static_cast<size_t>(stride * grid.size.height), kGap);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t x = i % across * (picture_size.width + 1);
    const int64_t y = i / across * (picture_size.height + 1);
    for (int64_t row = 0; row < picture_size.height; ++row) {
      std::copy_n(pixels.data() + i * picture_bytes + row * row_bytes,
                  row_bytes,
                  grid.pixels.data() + (y + row) * stride + x * channels);
    }
  }
  return grid;
}

}  // namespace xla_byol
