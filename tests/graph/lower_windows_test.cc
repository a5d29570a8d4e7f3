// The derivative of max pooling by comparisons: the same numbers as
// select_and_scatter, whatever the windows.

#include "xla_byol/graph/lower_windows.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "gtest/gtest.h"
#include "tests/graph/evaluate.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/graph/simplify.h"

namespace xla_byol::graph {
namespace {

struct Pooling {
  Dims dims;
  SelectAndScatterAttributes attributes;
  Dims windows;  // how many there are
  bool lowered = true;
};

const Pooling kPoolings[] = {
    // ResNet's, with TensorFlow's and with PyTorch's padding.
    {{2, 8, 7, 3},
     {{1, 3, 3, 1}, {1, 2, 2, 1}, {{0, 0}, {0, 1}, {1, 1}, {0, 0}}},
     {2, 4, 4, 3}},
    {{2, 8, 7, 3},
     {{1, 3, 3, 1}, {1, 2, 2, 1}, {{0, 0}, {1, 1}, {1, 1}, {0, 0}}},
     {2, 4, 4, 3}},
    {{9}, {{2}, {2}, {{0, 0}}}, {4}},   // apart; the last is in none
    {{9}, {{3}, {1}, {{1, 1}}}, {9}},   // every place in three
    {{9}, {{4}, {2}, {{2, 3}}}, {6}},   // a window with two elements
    {{11}, {{2}, {3}, {{0, 0}}}, {4}},  // gaps between them
    {{11}, {{1}, {4}, {{1, 0}}}, {3}},  // no choice at all
    {{4, 6}, {{2, 3}, {2, 3}, {{0, 0}, {0, 0}}}, {2, 2}},
    {{12}, {{5}, {2}, {{0, 0}}}, {4}, false},   // large
    {{12}, {{3}, {2}, {{-1, 0}}}, {5}, false},  // the first element cut off
};

int64_t Scatters(const Graph& graph, Value y, Backend backend) {
  const Simplified simplified = Simplify(graph, {y.id()}, backend);
  const auto& nodes = simplified.graph->nodes();
  return std::count_if(nodes.begin(), nodes.end(), [](const Node& node) {
    return node.op == OpCode::kSelectAndScatter;
  });
}

TEST(LowerWindowsTest, AgreesWithSelectAndScatter) {
  for (const Pooling& pooling : kPoolings) {
    for (const double range : {2.0, 1000.0}) {  // many equals, hardly any
      Graph graph;
      const Value x = graph.Parameter("x", {DType::kF32, pooling.dims});
      const Value source =
          graph.Parameter("source", {DType::kF32, pooling.windows});
      const Value y = SelectAndScatter(x, source, pooling.attributes);
      const std::string name = x.shape().ToString() + ", windows of " +
                               ToString(pooling.attributes.window);
      std::mt19937 rng(4);
      Tensors inputs = {Random(x.shape(), -range, range, rng),
                        Random(source.shape(), 0, 100, rng)};
      // Whole numbers: equal ones occur, and sums are exact in any order.
      for (Tensor& input : inputs) {
        for (double& element : input.data) element = std::floor(element);
      }
      auto plain = Evaluate(graph, {y}, inputs, Backend::kTpu);
      auto lowered = Evaluate(graph, {y}, inputs, Backend::kCpu);
      ASSERT_TRUE(plain.ok()) << name << ": " << plain.status();
      ASSERT_TRUE(lowered.ok()) << name << ": " << lowered.status();
      EXPECT_EQ(Distance((*lowered)[0], (*plain)[0]), 0) << name;
      EXPECT_EQ(Scatters(graph, y, Backend::kCpu), pooling.lowered ? 0 : 1)
          << name;
      EXPECT_EQ(Scatters(graph, y, Backend::kTpu), 1) << name;
    }
  }
}

}  // namespace
}  // namespace xla_byol::graph
