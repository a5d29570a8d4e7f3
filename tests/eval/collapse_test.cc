#include "xla_byol/eval/collapse.h"

#include <barrier>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/eval/synthetic_features.h"
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

CollapseFigures Alone(const Features& features) {
  return MeasureCollapse(
             features,
             [](std::vector<double> mine)
                 -> absl::StatusOr<std::vector<double>> { return mine; })
      .value();
}

TEST(CollapseTest, TheRankIsTheNumberOfDirections) {
  // The dimension is below and above the number of rows.
  for (const int64_t dimension : {8, 100}) {
    const CollapseFigures figures = Alone(Axes(40, dimension, 5));
    EXPECT_NEAR(figures.rank, 5, 1e-9);
    // Singular values that are rounding, 1e-8 of the largest, count a little.
    EXPECT_NEAR(figures.rankme, 5, 1e-3);
    // Five coordinates with a variance of 1/5, the others 0.
    EXPECT_NEAR(figures.spread,
                5 * std::sqrt(0.2) / static_cast<double>(dimension), 1e-9);
  }
  EXPECT_NEAR(Alone(Axes(40, 8, 1)).rank, 1, 1e-9);
}

TEST(CollapseTest, FeaturesThatAreAllTheSameHaveNone) {
  Features same{.dimension = 3, .values = {}, .labels = {-1, -1}};
  same.values = {0.6f, 0.8f, 0, 0.6f, 0.8f, 0};
  EXPECT_EQ(Alone(same).spread, 0);
  EXPECT_EQ(Alone(same).rank, 0);
  EXPECT_EQ(Alone(same).rankme, 0);
  EXPECT_EQ(Alone({.dimension = 3}).rank, 0);
}

TEST(CollapseTest, NanSaysSo) {
  Features features = Axes(4, 3, 2);
  features.values[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(Alone(features).spread));
  EXPECT_TRUE(std::isnan(Alone(features).rank));
}

// Three processes, as threads that wait for each other's numbers.
TEST(CollapseTest, SharesGiveWhatTheWholeGives) {
  constexpr size_t kRows = 50, kProcesses = 3;
  Features whole{.dimension = 8,
                 .values = Noise(kRows * 8, 5),
                 .labels = std::vector<int32_t>(kRows)};
  whole.NormalizeRows();
  const CollapseFigures expected = Alone(whole);
  std::vector<double> sums;
  std::barrier added(kProcesses), read(kProcesses);
  std::mutex mutex;
  const auto sum =
      [&](std::vector<double> mine) -> absl::StatusOr<std::vector<double>> {
    {
      const std::lock_guard lock(mutex);
      sums.resize(mine.size());
      for (size_t i = 0; i < mine.size(); ++i) sums[i] += mine[i];
    }
    added.arrive_and_wait();
    std::vector<double> all = sums;
    read.arrive_and_wait();
    {
      const std::lock_guard lock(mutex);
      sums.clear();
    }
    added.arrive_and_wait();
    return all;
  };
  std::vector<CollapseFigures> figures(kProcesses);
  std::vector<std::thread> processes;
  for (size_t i = 0; i < kProcesses; ++i) {
    processes.emplace_back([&, i] {
      figures[i] =
          MeasureCollapse(ShareOf(whole, static_cast<int>(i),
                                  {.block = 4, .processes = kProcesses}),
                          sum)
              .value();
    });
  }
  for (std::thread& process : processes) process.join();
  for (const CollapseFigures& some : figures) {
    EXPECT_NEAR(some.spread, expected.spread, 1e-12);
    EXPECT_NEAR(some.rank, expected.rank, 1e-9);
  }
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
    const CollapseFigures figures = Alone(features);
    EXPECT_NEAR(figures.spread, spread, 1e-9);
    EXPECT_NEAR(figures.rank, trace * trace / norm, 1e-6);
  }
}

}  // namespace
}  // namespace xla_byol
