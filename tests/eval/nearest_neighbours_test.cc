#include "xla_byol/eval/nearest_neighbours.h"

#include <algorithm>
#include <limits>

#include "tests/eval/synthetic_features.h"
#include "tests/pjrt/testing.h"

namespace xla_byol {
namespace {

using pjrt::Get;

Features Unit(Features features) {
  features.NormalizeRows();
  return features;
}

class NearestNeighboursTest : public testing::TestWithParam<int> {
 protected:
  double Top1(const Features& bank, const Features& test) {
    return Get(NearestNeighbourTop1(here_.runtime, FourClasses(), bank, test,
                                    NoProgress));
  }

  const TestRuntime here_{GetParam()};
};

// 101 rows do not divide by two devices, 300 are more than one batch.
TEST_P(NearestNeighboursTest, SeparableFeaturesAreAlwaysRight) {
  EXPECT_EQ(Top1(Unit(Separable(101, 6, 4, 1)), Unit(Separable(300, 6, 4, 2))),
            1);
}

TEST_P(NearestNeighboursTest, TheShareIsThatOfTheRightLabels) {
  Features test = Unit(Separable(300, 6, 4, 2));
  for (size_t i = 0; i < 90; ++i) test.labels[i] = (test.labels[i] + 1) % 4;
  for (size_t i = 280; i < 300; ++i) test.labels[i] = -1;
  EXPECT_NEAR(Top1(Unit(Separable(101, 6, 4, 1)), test), 190.0 / 280, 1e-6);
}

TEST_P(NearestNeighboursTest, NanFeaturesScoreNothing) {
  Features test = Unit(Separable(100, 6, 4, 2));
  test.values.assign(test.values.size(),
                     std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(Top1(Unit(Separable(100, 6, 4, 1)), test), 0);
}

// All votes tie; the smallest class is the answer for each row.
TEST_P(NearestNeighboursTest, FeaturesThatAreAllTheSameScoreAsChance) {
  Features bank = Separable(100, 6, 4, 1), test = Separable(100, 6, 4, 2);
  bank.values.assign(bank.values.size(), 1.0f);
  test.values.assign(test.values.size(), 1.0f);
  EXPECT_NEAR(Top1(Unit(bank), Unit(test)), 0.25, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Devices, NearestNeighboursTest,
                         testing::Values(1, 2, 4));

TEST(FeaturesTest, PartsAreFilledUpWithRowsThatDoNotCount) {
  const Features features = Separable(5, 4, 4, 1);
  const Features part = features.Part(3, 4);
  EXPECT_EQ(part.size(), 4);
  EXPECT_EQ(part.labels, (std::vector<int32_t>{3, 0, -1, -1}));
  EXPECT_EQ(part.row(1)[0], features.row(4)[0]);
  EXPECT_EQ(part.row(2)[0], 0);
  EXPECT_EQ(features.Part(9, 2).labels, (std::vector<int32_t>{-1, -1}));
}

TEST(FeaturesTest, AProcessHasNoMoreThanTheLargestShare) {
  const Features whole = Separable(30, 4, 4, 1);
  for (const int64_t block : {1, 4, 7, 40}) {
    for (const int processes : {1, 2, 4, 16}) {
      const RowDeal deal = {.block = block, .processes = processes};
      int64_t largest = 0, first = 0;
      for (int process = 0; process < processes; ++process) {
        const Features share = ShareOf(whole, process, deal);
        EXPECT_EQ(share.LargestShare(), deal.LargestShare(30));
        largest = std::max(largest, share.size());
        first += share.First(13).size();
        EXPECT_EQ(share.First(13).total(), 13);
      }
      EXPECT_EQ(deal.LargestShare(30), largest) << block << " " << processes;
      EXPECT_EQ(first, 13);
    }
  }
}

TEST(FeaturesTest, NormalizedRowsHaveLengthOneOrZero) {
  Features features{.dimension = 2, .values = {3, 4, 0, 0}, .labels = {0, 0}};
  features.NormalizeRows();
  EXPECT_EQ(features.values, (std::vector<float>{0.6f, 0.8f, 0, 0}));
}

}  // namespace
}  // namespace xla_byol
