#include "xla_byol/input/permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace xla_byol::input {
namespace {

TEST(PermutationTest, IsABijectionOfEverySize) {
  for (uint64_t size = 1; size <= 300; ++size) {
    const Permutation order(7, size, size);
    std::vector<bool> seen(size, false);
    for (uint64_t i = 0; i < size; ++i) {
      const uint64_t at = order.At(i);
      ASSERT_LT(at, size);
      ASSERT_FALSE(seen[at]) << "size " << size << " position " << i;
      seen[at] = true;
    }
  }
  const uint64_t large = 1281167;  // ImageNet.
  const Permutation order(1, 2, large);
  std::vector<bool> seen(large, false);
  for (uint64_t i = 0; i < large; ++i) {
    const uint64_t at = order.At(i);
    ASSERT_LT(at, large);
    ASSERT_FALSE(seen[at]);
    seen[at] = true;
  }
}

TEST(PermutationTest, PositionsBeyond32BitsStayInRange) {
  const uint64_t size = (uint64_t{1} << 40) + 12345;
  const Permutation order(3, 0, size);
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_LT(order.At(size - 1 - i * 1000003), size);
  }
}

TEST(PermutationTest, DependsOnSeedAndEpochAlone) {
  const Permutation a(5, 9, 1000);
  const Permutation same(5, 9, 1000);
  const Permutation other_epoch(5, 10, 1000);
  const Permutation other_seed(6, 9, 1000);
  int equal_epoch = 0;
  int equal_seed = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(a.At(i), same.At(i));
    equal_epoch += a.At(i) == other_epoch.At(i);
    equal_seed += a.At(i) == other_seed.At(i);
  }
  // Two random orders agree in one place on average (Poisson); 10 is beyond
  // one chance in a million.
  EXPECT_LT(equal_epoch, 10);
  EXPECT_LT(equal_seed, 10);
}

// Over many epochs each record visits each place equally often. The statistic
// sum (observed - expected)^2 / expected has about places^2 degrees of freedom
// and a standard deviation of sqrt(2 * places^2).
TEST(PermutationTest, EveryRecordVisitsEveryPlaceEquallyOften) {
  for (const uint64_t size : {5u, 16u, 50u, 100u}) {
    constexpr int kEpochs = 20000;
    std::vector<int> counts(size * size, 0);
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      const Permutation order(11, static_cast<uint64_t>(epoch), size);
      for (uint64_t i = 0; i < size; ++i) ++counts[i * size + order.At(i)];
    }
    const double expected = static_cast<double>(kEpochs) / size;
    double chi_squared = 0;
    for (int count : counts) {
      chi_squared += (count - expected) * (count - expected) / expected;
    }
    const double freedom = static_cast<double>((size - 1) * (size - 1));
    EXPECT_NEAR(chi_squared, freedom, 6 * std::sqrt(2 * freedom))
        << "size " << size;
  }
}

TEST(PermutationTest, NeighboursAreNotRelated) {
  constexpr uint64_t kSize = 50000;
  const Permutation order(3, 1, kSize);
  // Correlation of neighbours' places; its standard deviation is 1/sqrt(n).
  double sum = 0;
  const double mean = (kSize - 1) / 2.0;
  const double variance = (static_cast<double>(kSize) * kSize - 1) / 12;
  for (uint64_t i = 0; i + 1 < kSize; ++i) {
    sum += (static_cast<double>(order.At(i)) - mean) *
           (static_cast<double>(order.At(i + 1)) - mean);
  }
  EXPECT_LT(std::abs(sum / kSize / variance), 5 / std::sqrt(kSize));
}

}  // namespace
}  // namespace xla_byol::input
