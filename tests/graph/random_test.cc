#include "xla_byol/graph/random.h"

#include <cmath>

#include "gtest/gtest.h"
#include "tests/graph/evaluate.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol::graph {
namespace {

using Numbers = std::vector<double>;

// jax.random of jax.random.key(42), with jax_threefry_partitionable.
TEST(RandomTest, NumbersAreThoseOfJax) {
  Graph graph;
  Value key = RandomKey(graph, 42);
  auto results =
      Evaluate(graph,
               {RandomBits(key, {5}), RandomBits(key, {2, 3}),
                RandomUniform(key, {4}, -1, 3), SplitKey(key, 3),
                FoldIn(key, Constant(graph, 7, DType::kU32)),
                RandomBits(RandomKey(graph, (uint64_t{1} << 40) + 5), {2})},
               {});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].data, (Numbers{2098992034, 2919706841, 2646866425,
                                         2409546199, 1935504149}));
  EXPECT_EQ((*results)[1].data, (Numbers{2098992034, 2919706841, 2646866425,
                                         2409546199, 1935504149, 2516274904}));
  EXPECT_EQ((*results)[2].data,
            (Numbers{0.9548382759094238, 1.7191886901855469, 1.4650859832763672,
                     1.2440643310546875}));
  EXPECT_EQ((*results)[3].data, (Numbers{1832780943, 270669613, 64467757,
                                         2916123636, 2465931498, 255383827}));
  EXPECT_EQ((*results)[4].data, (Numbers{2547012911, 1371500959}));
  EXPECT_EQ((*results)[5].data, (Numbers{2856346830, 1147569684}));
}

TEST(RandomTest, NormalNumbersHaveNormalMoments) {
  constexpr int64_t kCount = 100000;
  Graph graph;
  auto results =
      Evaluate(graph, {RandomNormal(RandomKey(graph, 3), {kCount})}, {});
  ASSERT_TRUE(results.ok()) << results.status();
  double moments[5] = {};
  for (double x : (*results)[0].data) {
    for (int k = 1; k <= 4; ++k) moments[k] += std::pow(x, k) / kCount;
  }
  // Five standard errors of each moment: sqrt(var(x^k) / count).
  const double expected[] = {0, 0, 1, 0, 3}, variance[] = {0, 1, 2, 15, 96};
  for (int k = 1; k <= 4; ++k) {
    EXPECT_NEAR(moments[k], expected[k], 5 * std::sqrt(variance[k] / kCount));
  }
}

}  // namespace
}  // namespace xla_byol::graph
