#include "xla_byol/nn/initialize.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace xla_byol::nn {
namespace {

std::vector<float> Filled(const Initializer& initializer, size_t size,
                          uint64_t seed = 0, const char* path = "a/w") {
  std::vector<float> values(size);
  InitializeTensor(initializer, seed, path, absl::MakeSpan(values));
  return values;
}

// The inverse of Phi(x) = erfc(-x / sqrt 2) / 2, which libm knows.
TEST(InitializeTest, InverseNormalInvertsTheDistribution) {
  for (double x = -5; x <= 5; x += 0.01) {
    const double p = 0.5 * std::erfc(-x / std::sqrt(2.0));
    // Acklam's relative error is 1.15e-9; near p = 1 rounding of p adds more.
    EXPECT_NEAR(InverseNormal(p), x, 1e-8 * std::max(1.0, std::exp(x * x / 4)));
  }
}

TEST(InitializeTest, TruncatedNormalHasHaikusMoments) {
  constexpr size_t kSize = 1 << 20;
  const std::vector<float> values = Filled(Initializer::FanIn(25), kSize);
  double sum = 0, squares = 0;
  for (const float value : values) {
    EXPECT_LE(std::abs(value), 2 * 0.2f);
    sum += value;
    squares += value * value;
  }
  // Standard error of the mean: 0.176 / 1024. A normal distribution cut at two
  // sigma keeps 0.7737 of its variance.
  EXPECT_NEAR(sum / kSize, 0, 5 * 0.18 / 1024);
  EXPECT_NEAR(squares / kSize, 0.04 * 0.77374, 2e-4);
}

TEST(InitializeTest, NumbersDependOnSeedPathAndIndexAlone) {
  const Initializer normal = Initializer::FanIn(4);
  const std::vector<float> values = Filled(normal, 1001);
  EXPECT_EQ(values, Filled(normal, 1001));
  EXPECT_NE(values, Filled(normal, 1001, /*seed=*/1));
  EXPECT_NE(values, Filled(normal, 1001, 0, "b/w"));
  const std::vector<float> shorter = Filled(normal, 7);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), values.begin()));
}

TEST(InitializeTest, ConstantsAndIdentity) {
  EXPECT_EQ(Filled(Initializer::Constant(1), 3), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(Filled(Initializer::Identity(), 9),
            (std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace xla_byol::nn
