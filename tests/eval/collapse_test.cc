#include "xla_byol/eval/collapse.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "tests/step/noise.h"

namespace xla_byol {
namespace {

// Rows of one coordinate each: row i is `sign` times axis i % axes.
Features Axes(int64_t rows, int64_t dimension, int64_t axes) {
  Features features{.dimension = dimension};
  features.values.resize(static_cast<size_t>(rows * dimension));
  features.labels.resize(static_cast<size_t>(rows), -1);
  for (int64_t i = 0; i < rows; ++i) {
    features.values[static_cast<size_t>(i * dimension + i % axes)] =
        i / axes % 2 == 0 ? 1.0f : -1.0f;
  }
  return features;
}

TEST(CollapseTest, TheRankIsTheNumberOfDirections) {
  // The dimension is below and above the number of rows.
  for (const int64_t dimension : {8, 100}) {
    const CollapseFigures figures = MeasureCollapse(Axes(40, dimension, 5));
    EXPECT_NEAR(figures.rank, 5, 1e-9);
    // Five coordinates with a variance of 1/5, the others 0.
    EXPECT_NEAR(figures.spread,
                5 * std::sqrt(0.2) / static_cast<double>(dimension), 1e-9);
  }
  EXPECT_NEAR(MeasureCollapse(Axes(40, 8, 1)).rank, 1, 1e-9);
}

TEST(CollapseTest, FeaturesThatAreAllTheSameHaveNone) {
  Features same{.dimension = 3, .values = {}, .labels = {-1, -1}};
  same.values = {0.6f, 0.8f, 0, 0.6f, 0.8f, 0};
  EXPECT_EQ(MeasureCollapse(same).spread, 0);
  EXPECT_EQ(MeasureCollapse(same).rank, 0);
  EXPECT_EQ(MeasureCollapse({.dimension = 3}).rank, 0);
}

TEST(CollapseTest, NanSaysSo) {
  Features features = Axes(4, 3, 2);
  features.values[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(MeasureCollapse(features).spread));
  EXPECT_TRUE(std::isnan(MeasureCollapse(features).rank));
}

// By its definition, entry by entry.
TEST(CollapseTest, AgreesWithPlainLoops) {
  for (const size_t d : {4, 30}) {
    constexpr size_t kRows = 20;
    Features features{.dimension = static_cast<int64_t>(d),
                      .values = Noise(kRows * d, 5),
                      .labels = std::vector<int32_t>(kRows)};
    features.NormalizeRows();
    std::vector<double> mean(d);
    for (size_t i = 0; i < kRows * d; ++i) {
      mean[i % d] += features.values[i] / double{kRows};
    }
    double spread = 0, trace = 0, norm = 0;
    for (size_t a = 0; a < d; ++a) {
      for (size_t b = 0; b < d; ++b) {
        double covariance = 0;
        for (size_t i = 0; i < kRows; ++i) {
          covariance += (features.values[i * d + a] - mean[a]) *
                        (features.values[i * d + b] - mean[b]) / double{kRows};
        }
        norm += covariance * covariance;
        if (a == b) {
          trace += covariance;
          spread += std::sqrt(covariance) / static_cast<double>(d);
        }
      }
    }
    const CollapseFigures figures = MeasureCollapse(features);
    EXPECT_NEAR(figures.spread, spread, 1e-9);
    EXPECT_NEAR(figures.rank, trace * trace / norm, 1e-6);
  }
}

}  // namespace
}  // namespace xla_byol
