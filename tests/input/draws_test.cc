#include "xla_byol/input/draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace xla_byol::input {
namespace {

constexpr int kSamples = 200000;

DrawKey Key(uint64_t index, int view = 0) { return {17, 3, index, view}; }

// The largest difference between the shares of two samples below a bound
// (Kolmogorov and Smirnov). For two samples of n it exceeds 1.95 * sqrt(2 / n)
// once in a thousand times if both have one distribution.
double LargestDifference(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double largest = 0;
  size_t j = 0;
  for (size_t i = 0; i < a.size();) {
    const double value = a[i];
    while (i < a.size() && a[i] <= value) ++i;
    while (j < b.size() && b[j] <= value) ++j;
    largest = std::max(largest, std::abs(static_cast<double>(i) / a.size() -
                                         static_cast<double>(j) / b.size()));
  }
  return largest;
}

// The reference's sampling, written from its description with the standard
// library's generator: an independent implementation of the same formula.
Rect ReferenceCrop(int width, int height, std::mt19937_64& random) {
  std::uniform_real_distribution<double> area_share(0.08, 1.0);
  std::uniform_real_distribution<double> log_ratio(std::log(3.0 / 4),
                                                   std::log(4.0 / 3));
  const double area = area_share(random) * width * height;
  const double ratio = std::exp(log_ratio(random));
  Rect crop;
  crop.width = std::min<int>(
      width, static_cast<int>(std::lrint(std::sqrt(area * ratio))));
  crop.height = std::min<int>(
      height, static_cast<int>(std::lrint(std::sqrt(area / ratio))));
  crop.x = std::uniform_int_distribution<int>(0, width - crop.width)(random);
  crop.y = std::uniform_int_distribution<int>(0, height - crop.height)(random);
  return crop;
}

TEST(DrawsTest, CropsFollowTheReferencesDistribution) {
  const AugmentationOptions options = ReferenceView(0);
  for (const auto& [width, height] :
       {std::pair{500, 375}, {375, 500}, {32, 32}, {1000, 200}}) {
    std::mt19937_64 random(99);
    std::array<std::vector<double>, 6> ours;
    std::array<std::vector<double>, 6> reference;
    for (int i = 0; i < kSamples; ++i) {
      const Rect a =
          DrawCrop(Key(static_cast<uint64_t>(i)), options, width, height);
      const Rect b = ReferenceCrop(width, height, random);
      ASSERT_GE(a.x, 0);
      ASSERT_GE(a.y, 0);
      ASSERT_GE(a.width, 1);
      ASSERT_GE(a.height, 1);
      ASSERT_LE(a.x + a.width, width);
      ASSERT_LE(a.y + a.height, height);
      for (const auto& [crop, sample] :
           {std::pair{a, &ours}, {b, &reference}}) {
        (*sample)[0].push_back(1.0 * crop.width * crop.height);  // Area.
        (*sample)[1].push_back(1.0 * crop.width / crop.height);  // Aspect.
        (*sample)[2].push_back(crop.width);
        (*sample)[3].push_back(crop.height);
        (*sample)[4].push_back(crop.x);
        (*sample)[5].push_back(crop.y);
      }
    }
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_LT(LargestDifference(ours[i], reference[i]),
                1.95 * std::sqrt(2.0 / kSamples))
          << width << "x" << height << " quantity " << i;
    }
  }
}

// Area and log-aspect are uniform by themselves where no side is cut.
TEST(DrawsTest, AreaAndAspectHistogramsAreFlat) {
  AugmentationOptions options = ReferenceView(0);
  options.crop.max_area = 0.5;  // Nothing reaches the border of a square.
  constexpr int kBins = 20;
  std::array<int, kBins> area_bins = {};
  std::array<int, kBins> aspect_bins = {};
  constexpr int kSide = 4000;  // Rounding to pixels does not matter.
  for (int i = 0; i < kSamples; ++i) {
    const Rect crop =
        DrawCrop(Key(static_cast<uint64_t>(i), 1), options, kSide, kSide);
    const double area = 1.0 * crop.width * crop.height / kSide / kSide;
    const double aspect = std::log(1.0 * crop.width / crop.height);
    auto bin = [](double value, double low, double high) {
      return static_cast<size_t>(
          std::clamp(static_cast<int>((value - low) / (high - low) * kBins), 0,
                     kBins - 1));
    };
    ++area_bins[bin(area, 0.08, 0.5)];
    ++aspect_bins[bin(aspect, std::log(0.75), -std::log(0.75))];
  }
  const double expected = static_cast<double>(kSamples) / kBins;
  for (int bin = 0; bin < kBins; ++bin) {
    const size_t b = static_cast<size_t>(bin);
    EXPECT_NEAR(area_bins[b], expected, 5 * std::sqrt(expected)) << bin;
    EXPECT_NEAR(aspect_bins[b], expected, 5 * std::sqrt(expected)) << bin;
  }
}

TEST(DrawsTest, SmallestImagesHaveACrop) {
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(DrawCrop(Key(i), {}, 1, 1), (Rect{0, 0, 1, 1}));
    const Rect thin = DrawCrop(Key(i), {}, 1, 500);
    EXPECT_EQ(thin.width, 1);
    EXPECT_LE(thin.y + thin.height, 500);
  }
}

TEST(DrawsTest, CenterCropIsTheReferences) {
  // int(224 / 256 * 375) = 328; ((500 - 328) + 1) // 2 = 86, (47 + 1) // 2.
  EXPECT_EQ(CenterCrop(500, 375, 224.0 / 256), (Rect{86, 24, 328, 328}));
  EXPECT_EQ(CenterCrop(256, 256, 224.0 / 256), (Rect{16, 16, 224, 224}));
  EXPECT_EQ(CenterCrop(33, 20, 1.0), (Rect{7, 0, 20, 20}));
  EXPECT_EQ(CenterCrop(1, 1, 224.0 / 256), (Rect{0, 0, 1, 1}));
}

TEST(DrawsTest, UnionHoldsBoth) {
  EXPECT_EQ(Union({5, 6, 10, 10}, {0, 10, 7, 30}), (Rect{0, 6, 15, 34}));
}

struct Mean {
  double sum = 0;
  double least = 1e9;
  double most = -1e9;
  void Add(double value) {
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

TEST(DrawsTest, AugmentationNumbersHaveTheirProbabilitiesAndRanges) {
  for (int view = 0; view < 2; ++view) {
    const AugmentationOptions options = ReferenceView(view);
    std::array<Mean, kAugmentationDraws> means;
    Mean flips;
    std::map<std::array<float, 4>, int> orders;
    for (int i = 0; i < kSamples; ++i) {
      std::array<float, kAugmentationDraws> draws;
      const DrawKey key = Key(static_cast<uint64_t>(i), view);
      DrawAugmentation(key, options, draws.data());
      for (size_t d = 0; d < draws.size(); ++d) means[d].Add(draws[d]);
      ++orders[{draws[kJitterOrder], draws[kJitterOrder + 1],
                draws[kJitterOrder + 2], draws[kJitterOrder + 3]}];
      flips.Add(DrawFlip(key, options));
    }
    // Five standard deviations of a mean of 0/1 draws.
    const auto near = [](double p) {
      return 5 * std::sqrt(p * (1 - p) / kSamples) + 1e-12;
    };
    const auto share = [&](int d) {
      return means[static_cast<size_t>(d)].sum / kSamples;
    };
    EXPECT_NEAR(flips.sum / kSamples, 0.5, near(0.5));
    EXPECT_NEAR(share(kJitterApply), 0.8, near(0.8));
    EXPECT_NEAR(share(kGrayscaleApply), 0.2, near(0.2));
    const double blur = view == 0 ? 1.0 : 0.1;
    EXPECT_NEAR(share(kBlurApply), blur, near(blur));
    const double solarize = view == 0 ? 0.0 : 0.2;
    EXPECT_NEAR(share(kSolarizeApply), solarize, near(solarize));

    const struct {
      int draw;
      double low;
      double high;
    } kRanges[] = {{kBrightnessDelta, -0.4, 0.4},
                   {kContrastFactor, 0.6, 1.4},
                   {kSaturationFactor, 0.8, 1.2},
                   {kHueDelta, -0.1, 0.1},
                   {kBlurSigma, 0.1, 2.0}};
    for (const auto& range : kRanges) {
      const Mean& mean = means[static_cast<size_t>(range.draw)];
      const double width = range.high - range.low;
      EXPECT_GE(mean.least, range.low - 1e-6);
      EXPECT_LE(mean.most, range.high + 1e-6);
      EXPECT_LT(mean.least, range.low + 1e-3 * width);
      EXPECT_GT(mean.most, range.high - 1e-3 * width);
      EXPECT_NEAR(mean.sum / kSamples, range.low + width / 2,
                  5 * width / std::sqrt(12.0 * kSamples));
    }
    ASSERT_EQ(orders.size(), 24u);
    const double expected = kSamples / 24.0;
    for (const auto& [order, count] : orders) {
      EXPECT_EQ(std::set<float>(order.begin(), order.end()),
                (std::set<float>{0, 1, 2, 3}));
      EXPECT_NEAR(count, expected, 5 * std::sqrt(expected));
    }
  }
}

TEST(DrawsTest, EveryPartOfTheKeyMatters) {
  const DrawKey base = {1, 2, 3, 0};
  const std::vector<DrawKey> others = {{2, 2, 3, 0},
                                       {1, 3, 3, 0},
                                       {1, 2, 4, 0},
                                       {1, 2, 3, 1},
                                       {uint64_t{1} << 32 | 1, 2, 3, 0},
                                       {1, uint64_t{1} << 32 | 2, 3, 0},
                                       {1, 2, uint64_t{1} << 32 | 3, 0}};
  std::array<float, kAugmentationDraws> expected;
  DrawAugmentation(base, {}, expected.data());
  const Rect crop = DrawCrop(base, {}, 5000, 5000);
  for (const DrawKey& key : others) {
    std::array<float, kAugmentationDraws> draws;
    DrawAugmentation(key, {}, draws.data());
    EXPECT_NE(draws, expected);
    EXPECT_FALSE(DrawCrop(key, {}, 5000, 5000) == crop);
  }
}

TEST(DrawsTest, OneOptionDoesNotShiftOtherNumbers) {
  AugmentationOptions options;
  std::array<float, kAugmentationDraws> before;
  std::array<float, kAugmentationDraws> after;
  DrawAugmentation(Key(5), options, before.data());
  options.brightness = 0.1;
  options.jitter_probability = 0;
  DrawAugmentation(Key(5), options, after.data());
  for (size_t d = 0; d < before.size(); ++d) {
    if (d == kBrightnessDelta || d == kJitterApply) continue;
    EXPECT_EQ(before[d], after[d]) << d;
  }
}

}  // namespace
}  // namespace xla_byol::input
