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

TEST(NearestNameTest, ASimilarNameNeedsFewEdits) {
  EXPECT_EQ(SimilarName("fashion_mnits", {"cifar10", "fashion_mnist"}),
            "fashion_mnist");
  EXPECT_EQ(SimilarName("cifar", {"mnist", "cifar10"}), "cifar10");
  EXPECT_EQ(SimilarName("photoz", {"cifar10", "fashion_mnist"}), "");
  EXPECT_EQ(SimilarName("x", {}), "");
}

}  // namespace
}  // namespace xla_byol
