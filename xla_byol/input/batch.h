// The memory of one batch, laid out as the devices take it.

#ifndef XLA_BYOL_INPUT_BATCH_H_
#define XLA_BYOL_INPUT_BATCH_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "xla_byol/input/crop.h"

namespace xla_byol::input {

struct BatchLayout {
  int views = 2;
  int devices = 1;           // Of this process.
  int64_t device_rows = 1;   // Images on each device.
  int32_t image_size = 224;  // Side of the square images.
  int channels = 3;

  int64_t rows() const { return devices * device_rows; }
  int64_t image_bytes() const {
    return int64_t{image_size} * image_size * channels;
  }
};

// Where a view came from: not sent to the device.
struct CropTrace {
  Rect crop;
  int32_t flip = 0;

  friend bool operator==(const CropTrace&, const CropTrace&) = default;
};

// Allocated once and written again and again. Row r of the process's share is
// row r % device_rows of device r / device_rows; each device's part of each
// array is dense, and begins at a multiple of 64 bytes, so that a runtime can
// take it without a copy.
class BatchBuffer {
 public:
  explicit BatchBuffer(const BatchLayout& layout);

  const BatchLayout& layout() const { return layout_; }

  // [device_rows, image_size, image_size, channels]
  uint8_t* pixels(int view, int device) const;
  // [device_rows, kAugmentationDraws]
  float* draws(int view, int device) const;
  // [device_rows]; kNoLabel where unlabeled.
  int32_t* labels(int device) const;
  // [device_rows]; 1, or 0 for rows that only fill up an evaluation's last
  // batch, or whose record is bad.
  float* mask(int device) const;

  // One entry for each row of the process: the record that it shows, and the
  // windows, [views][rows].
  std::vector<int64_t> indices;
  std::vector<CropTrace> crops;

 private:
  struct Freed {
    void operator()(void* memory) const { std::free(memory); }
  };

  BatchLayout layout_;
  int64_t pixel_stride_;  // Bytes from device to device.
  int64_t draw_stride_;
  int64_t row_stride_;  // Of the arrays with one number a row.
  std::unique_ptr<uint8_t[], Freed> memory_;
};

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_BATCH_H_
