#include "xla_byol/step/spectrum.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace xla_byol {
namespace {

// The second difference's matrix: eigenvalues 2 - 2 cos(k pi / (n + 1)).
std::vector<float> SecondDifference(int side) {
  std::vector<float> matrix;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const int distance = std::abs(i - j);
      matrix.push_back(distance == 0 ? 2.0f : distance == 1 ? -1.0f : 0.0f);
    }
  }
  return matrix;
}

TEST(SpectrumTest, EigenvaluesOfTheSecondDifference) {
  for (const int side : {1, 2, 7, 40}) {
    const std::vector<double> values =
        SymmetricEigenvalues(SecondDifference(side));
    ASSERT_EQ(values.size(), static_cast<size_t>(side));
    for (int k = 1; k <= side; ++k) {
      const double expected =
          2 - 2 * std::cos(k * std::acos(-1.0) / (side + 1));
      EXPECT_NEAR(values[static_cast<size_t>(side - k)], expected, 1e-12);
    }
  }
}

TEST(SpectrumTest, QuantilesAndHistogramAreRelativeToTheLargest) {
  // Diagonal 10, 8, 6, 4, 2: relative 1, .8, .6, .4, .2.
  std::vector<float> matrix(25, 0.0f);
  for (size_t i = 0; i < 5; ++i) {
    matrix[6 * i] = 10.0f - 2.0f * static_cast<float>(i);
  }
  const Spectrum spectrum = SpectrumOf(matrix);
  EXPECT_DOUBLE_EQ(spectrum.largest, 10);
  EXPECT_NEAR(spectrum.quantile25, 0.4, 1e-12);
  EXPECT_NEAR(spectrum.quantile50, 0.6, 1e-12);
  EXPECT_NEAR(spectrum.quantile75, 0.8, 1e-12);
  double sum = 0;
  for (const double share : spectrum.histogram) sum += share;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(spectrum.histogram[Spectrum::kBins - 1], 0.2, 1e-12);
  EXPECT_EQ(spectrum.histogram[0], 0);
}

TEST(SpectrumTest, ZeroAndNaN) {
  EXPECT_EQ(SpectrumOf(std::vector<float>(9, 0.0f)).quantile75, 0);
  std::vector<float> broken(9, 1.0f);
  broken[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(SpectrumOf(broken).quantile50));
}

}  // namespace
}  // namespace xla_byol
