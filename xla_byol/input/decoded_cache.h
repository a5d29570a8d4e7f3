// Keeps small images decoded: CIFAR's 50,000 take 154 MB, and decoding them
// anew in each epoch would cost more than all the rest.

#ifndef XLA_BYOL_INPUT_DECODED_CACHE_H_
#define XLA_BYOL_INPUT_DECODED_CACHE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "xla_byol/input/image.h"

namespace xla_byol::input {

// Threads may share one. What it holds never changes and never moves.
class DecodedCache {
 public:
  // Larger images gain more from decoding only what a view shows.
  static constexpr int64_t kMaxImageBytes = 64 << 10;

  // No memory beyond `budget_bytes` is taken, but for 8 bytes a record.
  DecodedCache(int64_t records, int64_t budget_bytes);

  struct Entry {
    ImageView image;
    int32_t label;
  };

  // Null if the record is not (yet) here.
  const Entry* Find(int64_t index) const {
    return entries_[static_cast<size_t>(index)].load(std::memory_order_acquire);
  }

  static bool IsSmall(ImageSize size, int channels) {
    return int64_t{size.width} * size.height * channels <= kMaxImageBytes;
  }

  // Whether an image of this size would be kept: it is small, and there is
  // room.
  bool Wants(ImageSize size, int channels) const;

  // Copies the pixels, unless the budget is spent or the record is here.
  void Insert(int64_t index, const ImageView& image, int32_t label);

  int64_t used_bytes() const { return used_.load(std::memory_order_relaxed); }

 private:
  uint8_t* Allocate(int64_t bytes);

  const int64_t budget_;
  std::atomic<int64_t> used_ = 0;
  std::vector<std::atomic<const Entry*>> entries_;
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<uint8_t[]>> blocks_ ABSL_GUARDED_BY(mutex_);
  int64_t left_in_block_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_DECODED_CACHE_H_
