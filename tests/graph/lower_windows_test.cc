// Max pooling by slices, and its derivative by comparisons: the same numbers as
// reduce_window and select_and_scatter, whatever the windows.

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

int64_t Count(OpCode op, const Graph& graph, Value y, Backend backend) {
  const Simplified simplified = Simplify(graph, {y.id()}, backend);
  const auto& nodes = simplified.graph->nodes();
  return std::count_if(nodes.begin(), nodes.end(),
                       [op](const Node& node) { return node.op == op; });
}

WindowAttributes Windows(const Pooling& pooling, Combiner combiner) {
  const Dims ones(pooling.dims.size(), 1);
  return {combiner, pooling.attributes.window, pooling.attributes.strides, ones,
          ones,     pooling.attributes.padding};
}

TEST(LowerWindowsTest, AgreesWithReduceWindow) {
  for (const Pooling& pooling : kPoolings) {
    Graph graph;
    const Value x = graph.Parameter("x", {DType::kF32, pooling.dims});
    const Value y = ReduceWindow(x, Windows(pooling, Combiner::kMax));
    const std::string name = x.shape().ToString() + ", windows of " +
                             ToString(pooling.attributes.window);
    std::mt19937 rng(4);
    const Tensors inputs = {Random(x.shape(), -9, -1, rng)};
    auto plain = Evaluate(graph, {y}, inputs, Backend::kTpu);
    auto lowered = Evaluate(graph, {y}, inputs, Backend::kCpu);
    ASSERT_TRUE(plain.ok()) << name << ": " << plain.status();
    ASSERT_TRUE(lowered.ok()) << name << ": " << lowered.status();
    EXPECT_EQ((*lowered)[0].data, (*plain)[0].data) << name;
    EXPECT_EQ(Count(OpCode::kReduceWindow, graph, y, Backend::kCpu),
              pooling.lowered ? 0 : 1)
        << name;
    EXPECT_EQ(Count(OpCode::kReduceWindow, graph, y, Backend::kTpu), 1) << name;
  }
}

TEST(LowerWindowsTest, LeavesOtherWindowsAlone) {
  Graph graph;
  const Value x = graph.Parameter("x", {DType::kF32, kPoolings[0].dims});
  WindowAttributes dilated = Windows(kPoolings[3], Combiner::kMax);
  dilated.window_dilation = {2};
  const Value line = graph.Parameter("line", {DType::kF32, kPoolings[3].dims});
  for (const Value y : {ReduceWindow(x, Windows(kPoolings[0], Combiner::kSum)),
                        ReduceWindow(line, dilated)}) {
    EXPECT_EQ(Count(OpCode::kReduceWindow, graph, y, Backend::kCpu), 1);
  }
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
      EXPECT_EQ(Count(OpCode::kSelectAndScatter, graph, y, Backend::kCpu),
                pooling.lowered ? 0 : 1)
          << name;
      EXPECT_EQ(Count(OpCode::kSelectAndScatter, graph, y, Backend::kTpu), 1)
          << name;
    }
  }
}

}  // namespace
}  // namespace xla_byol::graph
