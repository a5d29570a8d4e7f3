// Where Winograd's algorithm (winograd.h) finds its tiles, and keeps what it
// computes of them. Views of memory that somebody else owns.

#ifndef XLA_BYOL_KERNELS_WINOGRAD_LAYOUT_H_
#define XLA_BYOL_KERNELS_WINOGRAD_LAYOUT_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "xla_byol/kernels/winograd_code.h"
#include "xla_byol/kernels/winograd_lines.h"

namespace xla_byol::kernels::winograd {

inline constexpr size_t kProducts = kPoints * kPoints;
inline constexpr size_t kResults = kTile * kTile;
inline constexpr size_t kWeights = kWindow * kWindow;

// Images [n,h,w,c] in memory, to be read or written.
template <typename Float>
struct Images {
  Float* data;
  size_t count, height, width, channels;

  Images(Float* address, const std::array<int64_t, 4>& dims)
      : data(address),
        count(static_cast<size_t>(dims[0])),
        height(static_cast<size_t>(dims[1])),
        width(static_cast<size_t>(dims[2])),
        channels(static_cast<size_t>(dims[3])) {}
  size_t panels() const { return channels / kPanel; }
};

// One matrix for each of the 36 products, in panels of `rows` rows each.
struct Matrices {
  float* data;
  size_t rows;
  size_t stride;

  static size_t Stride(size_t rows, size_t columns) {
    // Strides of a power of two would put all 36 into the same cache lines.
    return rows * columns + 16;
  }
  static size_t Floats(size_t rows, size_t columns) {
    return kProducts * Stride(rows, columns);
  }
  Matrices(float* to, size_t row_count, size_t columns)
      : data(to), rows(row_count), stride(Stride(row_count, columns)) {}

  size_t panel() const { return rows * kPanel; }
  // Of the first product; the others are `stride` apart.
  float* row(size_t index, size_t panel_index = 0) const {
    return data + panel_index * panel() + index * kPanel;
  }
  float* product(size_t index, size_t panel_index) const {
    return data + index * stride + panel_index * panel();
  }
};

// The tiles of images' results, numbered row by row, image by image.
class Tiles {
 public:
  template <typename Float>
  explicit Tiles(const Images<Float>& results)
      : down_((results.height + winograd::kTile - 1) / winograd::kTile),
        across_((results.width + winograd::kTile - 1) / winograd::kTile),
        count_(results.count * down_ * across_) {}

  size_t count() const { return count_; }

  // Addresses of the kSide x kSide pixels of a tile, the first of which is
  // (above, left) outside of where the tile begins; `outside` for those that
  // are not in the image.
  template <size_t kSide, typename Float>
  void Find(size_t tile, const Images<Float>& images, int64_t above,
            int64_t left, Float* outside,
            Float* (&pixels)[kSide * kSide]) const {
    const size_t image = tile / (down_ * across_);
    const auto begin = [](size_t index, int64_t before) {
      return static_cast<int64_t>(index * winograd::kTile) - before;
    };
    const int64_t top = begin(tile / across_ % down_, above);
    const int64_t first = begin(tile % across_, left);
    for (size_t i = 0; i < kSide * kSide; ++i) {
      const int64_t y = top + static_cast<int64_t>(i / kSide);
      const int64_t x = first + static_cast<int64_t>(i % kSide);
      const bool inside = y >= 0 && y < static_cast<int64_t>(images.height) &&
                          x >= 0 && x < static_cast<int64_t>(images.width);
      const size_t position =
          (image * images.height + static_cast<size_t>(y)) * images.width +
          static_cast<size_t>(x);
      pixels[i] = inside ? images.data + position * images.channels : outside;
    }
  }

 private:
  size_t down_, across_, count_;
};

}  // namespace xla_byol::kernels::winograd

#endif  // XLA_BYOL_KERNELS_WINOGRAD_LAYOUT_H_
