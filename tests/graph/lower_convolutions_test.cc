// Every lowering computes what the native convolution computes, forward and for
// both gradients, over a grid of windows, strides and paddings.

#include "xla_byol/graph/lower_convolutions.h"

#include <algorithm>
#include <set>

#include "gtest/gtest.h"
#include "tests/graph/evaluate.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/graph/simplify.h"

namespace xla_byol::graph {
namespace {

struct Layer {
  int64_t size, window, stride, padding;
};

constexpr Layer kLayers[] = {
    {6, 1, 1, 0}, {6, 1, 2, 0}, {7, 1, 2, 0}, {6, 1, 1, 1}, {6, 3, 1, 1},
    {6, 3, 2, 1}, {7, 3, 2, 1}, {9, 7, 2, 3}, {4, 4, 1, 0}, {1, 3, 1, 1},
    {1, 3, 2, 1}, {2, 3, 2, 1}, {1, 3, 1, 2}, {3, 3, 2, 1}};

struct Built {
  Graph graph{1};
  Value x, kernel;
  std::vector<Value> outputs;  // result, input gradient, kernel gradient

  explicit Built(const Layer& layer) {
    const auto& [size, window, stride, padding] = layer;
    x = graph.Parameter("x", {DType::kF64, {2, size, size + 1, 3}});
    kernel = graph.Parameter("kernel", {DType::kF64, {window, window, 3, 4}});
    Value y = Conv2d(
        x, kernel,
        {.strides = {stride, stride}, .padding = Padding::Symmetric(padding)});
    outputs = Grad(Sum(Sine(y)), {x, kernel});
    outputs.insert(outputs.begin(), y);
  }
};

TEST(LowerConvolutionsTest, CpuAgreesWithNative) {
  for (const Layer& layer : kLayers) {
    Built built(layer);
    std::mt19937 rng(9);
    const Tensors inputs = {Random(built.x.shape(), -1, 1, rng),
                            Random(built.kernel.shape(), -1, 1, rng)};
    auto native = Evaluate(built.graph, built.outputs, inputs, Backend::kTpu);
    auto lowered = Evaluate(built.graph, built.outputs, inputs, Backend::kCpu);
    ASSERT_TRUE(native.ok()) << native.status();
    ASSERT_TRUE(lowered.ok()) << lowered.status();
    for (int i = 0; i < 3; ++i) {
      EXPECT_LT(Distance((*lowered)[i], (*native)[i]), 1e-12)
          << layer.window << "x" << layer.window << " stride " << layer.stride
          << ", output " << i;
    }
  }
}

// The same for each lowering of the kernel gradient, whatever the table says.
TEST(LowerConvolutionsTest, AllLoweringsAgree) {
  std::set<ConvRole> seen;
  for (const Layer& layer : kLayers) {
    Built built(layer);
    std::mt19937 rng(9);
    const Tensors inputs = {Random(built.x.shape(), -1, 1, rng),
                            Random(built.kernel.shape(), -1, 1, rng)};
    std::vector<Value> outputs;
    const size_t nodes = built.graph.nodes().size();
    for (size_t n = 0; n < nodes; ++n) {
      const Node& node = built.graph.nodes()[n];
      const auto* conv = std::get_if<ConvAttributes>(&node.attributes);
      if (conv == nullptr) continue;
      const Value lhs(&built.graph, node.operands[0]);
      const Value rhs(&built.graph, node.operands[1]);
      seen.insert(RoleOf(lhs.shape(), rhs.shape(),
                         built.graph.shape(node.first_result), *conv));
      for (ConvLowering lowering :
           {ConvLowering::kNative, ConvLowering::kDot,
            ConvLowering::kShiftedDots, ConvLowering::kIm2col}) {
        outputs.push_back(LowerConvolution(lhs, rhs, *conv, lowering));
      }
    }
    auto results = Evaluate(built.graph, outputs, inputs, Backend::kTpu);
    ASSERT_TRUE(results.ok()) << results.status();
    for (size_t i = 0; i < results->size(); ++i) {
      EXPECT_LT(Distance((*results)[i], (*results)[i / 4 * 4]), 1e-12)
          << "window " << layer.window << ", lowering " << i % 4;
    }
  }
  EXPECT_EQ(seen.size(), 5u);  // all roles
}

TEST(LowerConvolutionsTest, PointwiseBecomesDotsOnCpuAndStaysElsewhere) {
  Built built({6, 1, 2, 0});
  std::vector<int32_t> ids;
  for (Value value : built.outputs) ids.push_back(value.id());
  auto convolutions = [&](Backend backend) {
    const Simplified simplified = Simplify(built.graph, ids, backend);
    const auto& nodes = simplified.graph->nodes();
    return std::count_if(nodes.begin(), nodes.end(), [](const Node& node) {
      return node.op == OpCode::kConvolution;
    });
  };
  EXPECT_EQ(convolutions(Backend::kCpu), 0);
  EXPECT_EQ(convolutions(Backend::kTpu), 3);
  EXPECT_EQ(convolutions(Backend::kGpu), 3);
}

}  // namespace
}  // namespace xla_byol::graph
