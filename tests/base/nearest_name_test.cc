#include "xla_byol/base/nearest_name.h"

#include "gtest/gtest.h"

namespace xla_byol {
namespace {

TEST(NearestNameTest, FindsTheFewestEdits) {
  EXPECT_EQ(NearestName("cifar", {"mnist", "cifar10", "cifar100"}), "cifar10");
  EXPECT_EQ(NearestName("Ridge", {"rate", "ridge"}), "ridge");
  EXPECT_EQ(NearestName("bathc_size", {"base", "batch_size"}), "batch_size");
  EXPECT_EQ(NearestName("newton", {"NE", "NEWTON_SCHULZ"}), "NEWTON_SCHULZ");
  EXPECT_EQ(NearestName("", {"abc", "ab"}), "ab");
  EXPECT_EQ(NearestName("x", {}), "");
}

}  // namespace
}  // namespace xla_byol
