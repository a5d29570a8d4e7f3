// Large blocks of memory that are kept when they are freed.
//
// XLA allocates a step's temporaries anew in each step, 3 GB in one block for
// ResNet-50, and the C library gives such blocks back to the system: then every
// step begins with a million page faults, a fifth of its time. Linking
// malloc_hooks makes the C library's functions use this class for blocks of
// kSmallest bytes and more.

#ifndef XLA_BYOL_MEMORY_LARGE_BLOCKS_H_
#define XLA_BYOL_MEMORY_LARGE_BLOCKS_H_

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace xla_byol::memory {

// Blocks are whole huge pages, aligned to them. A freed block serves the next
// request of about its size; as long as it is kept it counts as used by us, but
// used and kept blocks together never exceed what was in use at one time: peak
// memory is that of an allocator that keeps nothing. Thread-safe. Uses no heap,
// since it is part of it.
//
// A step may ask for its temporaries in the moment before the last one gives
// back its own. Whoever asks for a block of kWaitFrom bytes and more, where one
// of that size is in use, therefore waits a little for it: another 3 GB would
// stay for good, and take seconds to fault in.
class LargeBlocks {
 public:
  static constexpr size_t kSmallest = size_t{16} << 20;
  static constexpr size_t kPage = size_t{2} << 20;  // and alignment
  static constexpr size_t kWaitFrom = size_t{64} << 20;
  static constexpr int kWaitMilliseconds = 20;

  // All blocks of the process.
  static LargeBlocks& Global();

  constexpr LargeBlocks() = default;
  LargeBlocks(const LargeBlocks&) = delete;
  LargeBlocks& operator=(const LargeBlocks&) = delete;

  // Null if the system has no more memory, or too many blocks are in use.
  // Contents are arbitrary; `zeroed`, if given, says whether they are zeros.
  void* Allocate(size_t bytes, bool* zeroed = nullptr);
  // False if the block is not one of ours; nothing has happened then.
  bool Free(void* block);
  // A block's usable size, 0 if it is not one of ours.
  size_t SizeOf(const void* block);

  size_t used_bytes() const { return used_; }
  size_t kept_bytes() const { return kept_; }

 private:
  struct Block {
    char* data = nullptr;
    size_t size = 0;
    bool used = false;
  };
  static constexpr int kMostBlocks = 256;

  bool MayContain(const void* block) const;
  Block* Find(const void* block);
  // A block, kept or used, that is hardly larger than `bytes`.
  Block* FindOfSize(size_t bytes, bool used);
  // A kept one, after a while if need be; null if there is none.
  Block* TakeKept(size_t bytes);
  // Unmaps kept blocks until `bytes` more do not exceed the most ever in use.
  void MakeRoom(size_t bytes);
  bool Map(Block& block, size_t bytes);

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t freed_ = PTHREAD_COND_INITIALIZER;
  Block blocks_[kMostBlocks];
  std::atomic<size_t> used_{0};
  std::atomic<size_t> kept_{0};
  size_t most_used_ = 0;
  // Where blocks have been, so that other pointers are told at once.
  std::atomic<uintptr_t> lowest_{UINTPTR_MAX};
  std::atomic<uintptr_t> highest_{0};
};

}  // namespace xla_byol::memory

#endif  // XLA_BYOL_MEMORY_LARGE_BLOCKS_H_
