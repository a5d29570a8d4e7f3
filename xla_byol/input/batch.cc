#include "xla_byol/input/batch.h"

#include <cstring>

#include "xla_byol/input/dataset.h"
#include "xla_byol/input/draws.h"

namespace xla_byol::input {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kPage = 4096;

int64_t RoundUp(int64_t value, int64_t to) {
  return (value + to - 1) / to * to;
}

}  // namespace

BatchBuffer::BatchBuffer(const BatchLayout& layout)
    : indices(static_cast<size_t>(layout.rows())),
      crops(static_cast<size_t>(layout.rows() * layout.views)),
      layout_(layout),
      pixel_stride_(
          RoundUp(layout.device_rows * layout.image_bytes(), kAlignment)),
      draw_stride_(RoundUp(
          layout.device_rows * kAugmentationDraws * int64_t{sizeof(float)},
          kAlignment)),
      row_stride_(
          RoundUp(layout.device_rows * int64_t{sizeof(float)}, kAlignment)) {
  const int64_t bytes =
      layout.devices *
      (layout.views * (pixel_stride_ + draw_stride_) + 2 * row_stride_);
  const size_t rounded = static_cast<size_t>(RoundUp(bytes, kPage));
  memory_.reset(static_cast<uint8_t*>(std::aligned_alloc(kPage, rounded)));
  std::memset(memory_.get(), 0, rounded);
}

uint8_t* BatchBuffer::pixels(int view, int device) const {
  return memory_.get() + (view * layout_.devices + device) * pixel_stride_;
}

float* BatchBuffer::draws(int view, int device) const {
  return reinterpret_cast<float*>(pixels(layout_.views, 0) +
                                  (view * layout_.devices + device) *
                                      draw_stride_);
}

int32_t* BatchBuffer::labels(int device) const {
  return reinterpret_cast<int32_t*>(
      reinterpret_cast<uint8_t*>(draws(layout_.views, 0)) +
      device * row_stride_);
}

float* BatchBuffer::mask(int device) const {
  return reinterpret_cast<float*>(labels(layout_.devices + device));
}

}  // namespace xla_byol::input
