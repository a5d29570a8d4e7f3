#include "xla_byol/memory/large_blocks.h"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <iterator>

namespace xla_byol::memory {
namespace {

class Lock {
 public:
  explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) {
    pthread_mutex_lock(&mutex_);
  }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

size_t RoundUp(size_t bytes) {
  return (bytes + LargeBlocks::kPage - 1) / LargeBlocks::kPage *
         LargeBlocks::kPage;
}

}  // namespace

LargeBlocks& LargeBlocks::Global() {
  // Initialized before any code runs, never destroyed.
  static constinit LargeBlocks blocks;
  return blocks;
}

bool LargeBlocks::MayContain(const void* block) const {
  const auto address = reinterpret_cast<uintptr_t>(block);
  return address >= lowest_.load(std::memory_order_relaxed) &&
         address < highest_.load(std::memory_order_relaxed) &&
         address % kPage == 0;
}

LargeBlocks::Block* LargeBlocks::Find(const void* block) {
  for (Block& one : blocks_) {
    if (one.used && one.data == block) return &one;
  }
  return nullptr;
}

LargeBlocks::Block* LargeBlocks::FindOfSize(size_t bytes, bool used) {
  Block* best = nullptr;
  for (Block& one : blocks_) {
    const bool fits = one.data != nullptr && one.used == used &&
                      one.size >= bytes && one.size - bytes <= bytes / 8;
    if (fits && (best == nullptr || one.size < best->size)) best = &one;
  }
  return best;
}

LargeBlocks::Block* LargeBlocks::TakeKept(size_t bytes) {
  Block* block = FindOfSize(bytes, /*used=*/false);
  if (block != nullptr || bytes < kWaitFrom) return block;
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += kWaitMilliseconds * 1'000'000L;
  until.tv_sec += until.tv_nsec / 1'000'000'000L;
  until.tv_nsec %= 1'000'000'000L;
  while (block == nullptr && FindOfSize(bytes, /*used=*/true) != nullptr &&
         pthread_cond_timedwait(&freed_, &mutex_, &until) == 0) {
    block = FindOfSize(bytes, /*used=*/false);
  }
  return block;
}

void LargeBlocks::MakeRoom(size_t bytes) {
  for (Block& one : blocks_) {
    if (used_ + kept_ + bytes <= most_used_) return;
    if (one.data == nullptr || one.used) continue;
    munmap(one.data, one.size);
    kept_ -= one.size;
    one = {};
  }
}

bool LargeBlocks::Map(Block& block, size_t bytes) {
  // Room to align in; what is left over is given back.
  void* mapped = mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return false;
  char* const begin = static_cast<char*>(mapped);
  const size_t before =
      (kPage - reinterpret_cast<uintptr_t>(begin) % kPage) % kPage;
  if (before > 0) munmap(begin, before);
  char* const data = begin + before;
  if (before < kPage) munmap(data + bytes, kPage - before);
  madvise(data, bytes, MADV_HUGEPAGE);  // a wish: nothing is lost without
  block = {data, bytes, false};
  const auto address = reinterpret_cast<uintptr_t>(data);
  lowest_ = std::min<uintptr_t>(lowest_, address);
  highest_ = std::max<uintptr_t>(highest_, address + bytes);
  return true;
}

void* LargeBlocks::Allocate(size_t bytes, bool* zeroed) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  const size_t rounded = RoundUp(std::max<size_t>(bytes, 1));
  const Lock lock(mutex_);
  Block* block = TakeKept(rounded);
  if (zeroed != nullptr) *zeroed = block == nullptr;
  if (block != nullptr) {
    kept_ -= block->size;
  } else {
    most_used_ = std::max<size_t>(most_used_, used_ + rounded);
    MakeRoom(rounded);
    block = std::find_if(std::begin(blocks_), std::end(blocks_),
                         [](const Block& one) { return one.data == nullptr; });
    if (block == std::end(blocks_) || !Map(*block, rounded)) return nullptr;
  }
  block->used = true;
  used_ += block->size;
  most_used_ = std::max<size_t>(most_used_, used_);
  return block->data;
}

bool LargeBlocks::Free(void* block) {
  if (!MayContain(block)) return false;
  const Lock lock(mutex_);
  Block* const found = Find(block);
  if (found == nullptr) return false;
  found->used = false;
  used_ -= found->size;
  kept_ += found->size;
  pthread_cond_broadcast(&freed_);
  return true;
}

size_t LargeBlocks::SizeOf(const void* block) {
  if (!MayContain(block)) return 0;
  const Lock lock(mutex_);
  const Block* const found = Find(block);
  return found == nullptr ? 0 : found->size;
}

}  // namespace xla_byol::memory
