#include "xla_byol/memory/large_blocks.h"

#include <malloc.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace xla_byol::memory {
namespace {

constexpr size_t kMega = size_t{1} << 20;

TEST(LargeBlocksTest, AFreedBlockServesTheNextRequest) {
  LargeBlocks blocks;
  bool zeroed = false;
  char* const first = static_cast<char*>(blocks.Allocate(100 * kMega, &zeroed));
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(zeroed);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % LargeBlocks::kPage, 0u);
  first[0] = 1;
  first[100 * kMega - 1] = 2;
  EXPECT_EQ(blocks.SizeOf(first), 100 * kMega);
  EXPECT_TRUE(blocks.Free(first));
  EXPECT_EQ(blocks.used_bytes(), 0u);
  EXPECT_EQ(blocks.kept_bytes(), 100 * kMega);
  // A little less is served by it too, with what it held.
  char* const second = static_cast<char*>(blocks.Allocate(95 * kMega, &zeroed));
  EXPECT_EQ(second, first);
  EXPECT_FALSE(zeroed);
  EXPECT_EQ(second[0], 1);
  EXPECT_TRUE(blocks.Free(second));
}

TEST(LargeBlocksTest, NeverMoreThanWasInUseAtOnce) {
  LargeBlocks blocks;
  void* a = blocks.Allocate(100 * kMega);
  void* b = blocks.Allocate(40 * kMega);
  blocks.Free(a);
  blocks.Free(b);
  EXPECT_EQ(blocks.kept_bytes(), 140 * kMega);
  // Another program's temporaries: 100 has to go, 40 may stay.
  void* c = blocks.Allocate(60 * kMega);
  EXPECT_LE(blocks.used_bytes() + blocks.kept_bytes(), 140 * kMega);
  EXPECT_EQ(blocks.used_bytes(), 60 * kMega);
  // A new peak.
  void* d = blocks.Allocate(200 * kMega);
  EXPECT_LE(blocks.used_bytes() + blocks.kept_bytes(), 260 * kMega);
  blocks.Free(c);
  blocks.Free(d);
  EXPECT_EQ(blocks.used_bytes(), 0u);
}

TEST(LargeBlocksTest, OtherPointersAreNotOurs) {
  LargeBlocks blocks;
  int on_stack = 0;
  EXPECT_FALSE(blocks.Free(&on_stack));
  EXPECT_FALSE(blocks.Free(nullptr));
  char* block = static_cast<char*>(blocks.Allocate(20 * kMega));
  EXPECT_FALSE(blocks.Free(block + LargeBlocks::kPage));
  EXPECT_EQ(blocks.SizeOf(block + 8), 0u);
  EXPECT_TRUE(blocks.Free(block));
  EXPECT_FALSE(blocks.Free(block));
  EXPECT_EQ(blocks.Allocate(SIZE_MAX - 5), nullptr);
}

// As a step's temporaries, for which the next step asks a moment too early.
TEST(LargeBlocksTest, WaitsALittleForABlockThatIsAboutToBeFreed) {
  LargeBlocks blocks;
  void* const first = blocks.Allocate(LargeBlocks::kWaitFrom);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    blocks.Free(first);
  });
  void* const second = blocks.Allocate(LargeBlocks::kWaitFrom);
  other.join();
  // A thread that was not run in time leaves two blocks, but never an error.
  EXPECT_TRUE(second == first || blocks.kept_bytes() > 0);
  // One that stays in use is not waited for in vain.
  void* const third = blocks.Allocate(LargeBlocks::kWaitFrom);
  EXPECT_NE(third, nullptr);
  EXPECT_NE(third, second);
  blocks.Free(second);
  blocks.Free(third);
}

TEST(LargeBlocksTest, ManyThreads) {
  LargeBlocks blocks;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&blocks, t] {
      for (int round = 0; round < 50; ++round) {
        char* block = static_cast<char*>(
            blocks.Allocate((16 + static_cast<size_t>(t)) * kMega));
        ASSERT_NE(block, nullptr);
        block[round] = static_cast<char>(t);
        std::this_thread::yield();
        ASSERT_EQ(block[round], static_cast<char>(t));
        ASSERT_TRUE(blocks.Free(block));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(blocks.used_bytes(), 0u);
}

// The functions of the C library, which in this test are ours where they can be
// (not under sanitizers): the same contracts either way.
TEST(MallocHooksTest, BehaveAsTheStandardSays) {
  for (const size_t size : {size_t{100}, 20 * kMega}) {
    char* block = static_cast<char*>(std::calloc(size, 1));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block[size - 1], 0);
    EXPECT_GE(malloc_usable_size(block), size);
    block[0] = 7;
    // Up into large blocks, within them, and down again.
    for (const size_t next : {30 * kMega, 31 * kMega, 90 * kMega, size_t{50}}) {
      block = static_cast<char*>(std::realloc(block, next));
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(block[0], 7);
      block[next - 1] = 8;
    }
    std::free(block);
    // Dirty blocks do not come back as zeros.
    block = static_cast<char*>(std::malloc(size));
    std::memset(block, 1, size);
    std::free(block);
    block = static_cast<char*>(std::calloc(1, size));
    for (size_t i = 0; i < size; i += 50) ASSERT_EQ(block[i], 0);
    std::free(block);
  }
  void* block = nullptr;
  EXPECT_EQ(posix_memalign(&block, 4096, 20 * kMega), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 4096, 0u);
  std::free(block);
  block = std::aligned_alloc(64, 20 * kMega);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
  std::free(block);
  std::free(nullptr);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(MallocHooksTest, LargeBlocksAreOurs) {
  LargeBlocks& blocks = LargeBlocks::Global();
  void* block = std::malloc(50 * kMega);
  EXPECT_EQ(blocks.SizeOf(block), 50 * kMega);
  std::free(block);
  EXPECT_GE(blocks.kept_bytes(), 50 * kMega);
  block = std::malloc(kMega);
  EXPECT_EQ(blocks.SizeOf(block), 0u);
  std::free(block);
}
#endif

}  // namespace
}  // namespace xla_byol::memory
