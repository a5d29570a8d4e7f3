#include "xla_byol/input/decoded_cache.h"

#include <gtest/gtest.h>

#include "tests/input/test_data.h"
#include "xla_byol/base/thread_pool.h"

namespace xla_byol::input {
namespace {

TEST(DecodedCacheTest, KeepsPixelsAndLabels) {
  DecodedCache cache(3, 64 << 20);
  const TestImage image = MakeImage(33, 21, 3, 1);
  ImageView part = image.view();  // A view whose rows are not dense.
  part.data += 3;
  part.size.width = 30;
  EXPECT_EQ(cache.Find(1), nullptr);
  EXPECT_TRUE(cache.Wants(part.size, 3));
  cache.Insert(1, part, 42);
  EXPECT_EQ(cache.Find(0), nullptr);
  const DecodedCache::Entry* entry = cache.Find(1);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->label, 42);
  EXPECT_EQ(entry->image.size, (ImageSize{30, 21}));
  for (int y = 0; y < 21; ++y) {
    for (int i = 0; i < 90; ++i) {
      ASSERT_EQ(entry->image.data[y * entry->image.stride + i],
                image.at(1, y)[i]);
    }
  }
}

TEST(DecodedCacheTest, StaysWithinItsBudget) {
  constexpr int64_t kBudget = 9 << 20;
  DecodedCache cache(10000, kBudget);
  const TestImage image = MakeImage(32, 32, 3, 1);
  for (int64_t i = 0; i < 10000; ++i) cache.Insert(i, image.view(), 0);
  EXPECT_LE(cache.used_bytes(), kBudget);
  EXPECT_GT(cache.used_bytes(), kBudget / 2);
  EXPECT_FALSE(cache.Wants({32, 32}, 3));
  EXPECT_NE(cache.Find(0), nullptr);
  EXPECT_EQ(cache.Find(9999), nullptr);
  EXPECT_FALSE(DecodedCache(1, 1 << 30).Wants({500, 375}, 3));
}

TEST(DecodedCacheTest, ThreadsShareIt) {
  DecodedCache cache(1000, 64 << 20);
  ThreadPool pool(4);
  ParallelFor(pool, 4000, [&](size_t i) {
    const auto index = static_cast<int64_t>(i % 1000);
    const TestImage image = MakeImage(8, 8, 1, static_cast<uint32_t>(index));
    if (const auto* entry = cache.Find(index)) {
      ASSERT_EQ(entry->label, index);
      ASSERT_TRUE(std::equal(image.pixels.begin(), image.pixels.end(),
                             entry->image.data));
    } else {
      cache.Insert(index, image.view(), static_cast<int32_t>(index));
    }
  });
}

}  // namespace
}  // namespace xla_byol::input
