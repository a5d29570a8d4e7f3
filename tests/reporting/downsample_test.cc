#include "xla_byol/reporting/downsample.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla_byol {
namespace {

using ::testing::ElementsAre;

TEST(DownsampleTest, GroupsDifferByOneAtMost) {
  EXPECT_THAT(GroupBounds(3, 10), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(GroupBounds(10, 4), ElementsAre(0, 2, 5, 7, 10));
  EXPECT_THAT(GroupBounds(0, 4), ElementsAre(0));
  const std::vector<size_t> bounds = GroupBounds(1'000'003, 1000);
  ASSERT_EQ(bounds.size(), 1001u);
  EXPECT_EQ(bounds.back(), 1'000'003u);
  for (size_t i = 1; i < bounds.size(); ++i) {
    const size_t size = bounds[i] - bounds[i - 1];
    EXPECT_TRUE(size == 1000 || size == 1001) << size;
  }
}

TEST(DownsampleTest, KeepsExtremesAndLeavesOutNan) {
  const GroupedSeries grouped =
      GroupValues({1, 2, 9, NAN, -4, NAN, NAN}, {0, 3, 5, 7});
  EXPECT_EQ(grouped.mean[0], 4);
  EXPECT_EQ(grouped.low[0], 1);
  EXPECT_EQ(grouped.high[0], 9);
  EXPECT_EQ(grouped.mean[1], -4);
  EXPECT_TRUE(std::isnan(grouped.mean[2]) && std::isnan(grouped.low[2]) &&
              std::isnan(grouped.high[2]));
}

}  // namespace
}  // namespace xla_byol
