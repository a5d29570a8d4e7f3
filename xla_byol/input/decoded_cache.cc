#include "xla_byol/input/decoded_cache.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace xla_byol::input {
namespace {

constexpr int64_t kBlockBytes = 4 << 20;

int64_t EntryBytes(ImageSize size, int channels) {
  const int64_t bytes = static_cast<int64_t>(sizeof(DecodedCache::Entry)) +
                        int64_t{size.width} * size.height * channels;
  constexpr int64_t kAlignment = alignof(std::max_align_t);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

DecodedCache::DecodedCache(int64_t records, int64_t budget_bytes)
    : budget_(budget_bytes), entries_(static_cast<size_t>(records)) {}

bool DecodedCache::Wants(ImageSize size, int channels) const {
  return IsSmall(size, channels) && used_bytes() + kBlockBytes <= budget_;
}

uint8_t* DecodedCache::Allocate(int64_t bytes) {
  absl::MutexLock lock(&mutex_);
  if (left_in_block_ < bytes) {
    if (used_bytes() + kBlockBytes > budget_) return nullptr;
    blocks_.push_back(std::make_unique<uint8_t[]>(kBlockBytes));
    used_.fetch_add(kBlockBytes, std::memory_order_relaxed);
    left_in_block_ = kBlockBytes;
  }
  uint8_t* place = blocks_.back().get() + (kBlockBytes - left_in_block_);
  left_in_block_ -= bytes;
  return place;
}

void DecodedCache::Insert(int64_t index, const ImageView& image,
                          int32_t label) {
  if (Find(index) != nullptr) return;
  uint8_t* place = Allocate(EntryBytes(image.size, image.channels));
  if (place == nullptr) return;
  uint8_t* pixels = place + sizeof(Entry);
  const int64_t stride = int64_t{image.size.width} * image.channels;
  for (int32_t y = 0; y < image.size.height; ++y) {
    std::memcpy(pixels + y * stride, image.data + y * image.stride,
                static_cast<size_t>(stride));
  }
  Entry* entry = new (place) Entry;
  entry->image = {pixels, image.size, image.channels, stride};
  entry->label = label;
  entries_[static_cast<size_t>(index)].store(entry, std::memory_order_release);
}

}  // namespace xla_byol::input
