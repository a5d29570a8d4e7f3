// Sums down long columns: the same numbers as plain sums, only more accurate.

#include "xla_byol/graph/lower_reductions.h"

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "tests/graph/evaluate.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/graph/simplify.h"

namespace xla_byol::graph {
namespace {

struct Sum {
  Dims dims, axes;
  bool lowered;
};

const Sum kSums[] = {
    {{64, 3}, {0}, true},
    {{2, 4, 6, 6, 5}, {1, 2, 3}, true},  // batch norm's, 144 = 9 * 16 rows
    {{2, 4, 6, 6, 5}, {0, 1, 2, 3}, true},
    {{3, 101, 2}, {1}, true},         // prime: no slabs
    {{101, 2}, {0}, true},            // and a single group
    {{2, 70, 2, 3}, {1}, true},       // two dimensions stay behind
    {{2, 63, 5}, {1}, false},         // short
    {{5, 64, 5}, {1}, false},         // many groups
    {{64, 3, 64, 2}, {0, 2}, false},  // apart
    {{2, 640}, {1}, false},           // the last dimension
};

int64_t Reductions(const Graph& graph, Value y, Backend backend) {
  const Simplified simplified = Simplify(graph, {y.id()}, backend);
  const auto& nodes = simplified.graph->nodes();
  return std::count_if(nodes.begin(), nodes.end(), [](const Node& node) {
    return node.op == OpCode::kDotGeneral;
  });
}

TEST(LowerReductionsTest, AgreeWithPlainSums) {
  for (const Sum& sum : kSums) {
    Graph graph;
    const Value x = graph.Parameter("x", {DType::kF64, sum.dims});
    const Value y = ReduceSum(x, sum.axes);
    const std::string name =
        x.shape().ToString() + " over " + ToString(sum.axes);
    std::mt19937 rng(4);
    const Tensors inputs = {Random(x.shape(), -1, 1, rng)};
    auto plain = Evaluate(graph, {y}, inputs, Backend::kTpu);
    auto lowered = Evaluate(graph, {y}, inputs, Backend::kCpu);
    ASSERT_TRUE(plain.ok()) << plain.status();
    ASSERT_TRUE(lowered.ok()) << lowered.status();
    EXPECT_EQ((*lowered)[0].shape, (*plain)[0].shape) << name;
    EXPECT_LT(Distance((*lowered)[0], (*plain)[0]), 1e-12) << name;
    EXPECT_EQ(Reductions(graph, y, Backend::kCpu), sum.lowered ? 1 : 0) << name;
    EXPECT_EQ(Reductions(graph, y, Backend::kTpu), 0) << name;
  }
}

// A column of 50,000 numbers near 1/2: one after the other, rounding adds up to
// some 1e-5 of the sum, which is enough to turn ReLUs on and off.
TEST(LowerReductionsTest, AreAccurateInF32) {
  Graph graph;
  const Value x = graph.Parameter("x", {DType::kF32, {2, 4, 112, 112, 4}});
  const Value y = ReduceSum(x, {1, 2, 3});
  std::mt19937 rng(4);
  const Tensors inputs = {Random(x.shape(), 0, 1, rng)};
  auto result = Evaluate(graph, {y}, inputs, Backend::kCpu);
  ASSERT_TRUE(result.ok()) << result.status();
  for (size_t i = 0; i < 8; ++i) {
    double truth = 0;
    for (size_t row = 0; row < 4 * 112 * 112; ++row) {
      const size_t at = (i / 4 * 4 * 112 * 112 + row) * 4 + i % 4;
      truth += static_cast<float>(inputs[0].data[at]);
    }
    EXPECT_LT(std::abs((*result)[0].data[i] - truth), 6e-7 * truth);
  }
}

}  // namespace
}  // namespace xla_byol::graph
