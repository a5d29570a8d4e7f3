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

const std::vector<std::string> kCalls = {kConvolutionCall,
                                         kConvolutionInputGradientCall,
                                         kConvolutionKernelGradientCall};

// What the calls' configurations must be: the forward convolution's.
TEST(LowerConvolutionsTest, CallsOfATargetThatHasThem) {
  for (const Layer& layer : kLayers) {
    const auto& [size, window, stride, padding] = layer;
    Graph graph(1);
    Value x = graph.Parameter("x", {DType::kF32, {2, size, size + 1, 3}});
    Value kernel =
        graph.Parameter("kernel", {DType::kF32, {window, window, 3, 4}});
    Value y = Conv2d(
        x, kernel,
        {.strides = {stride, stride}, .padding = Padding::Symmetric(padding)});
    std::vector<Value> outputs = Grad(Sum(Sine(y)), {x, kernel});
    outputs.insert(outputs.begin(), y);
    std::vector<int32_t> ids;
    for (Value value : outputs) ids.push_back(value.id());
    const Simplified simplified =
        Simplify(graph, ids, Backend(Backend::kCpu, kCalls));
    ASSERT_TRUE(simplified.graph->status().ok());
    std::vector<std::string> names;
    for (const Node& node : simplified.graph->nodes()) {
      EXPECT_NE(node.op, OpCode::kConvolution);
      const auto* call = std::get_if<CustomCallAttributes>(&node.attributes);
      if (call == nullptr) continue;
      names.push_back(call->name);
      const int64_t step = window == 1 ? 1 : stride;  // the rest is sliced off
      EXPECT_EQ(call->config.at("strides"), CallValue(Dims{step, step}));
      EXPECT_EQ(call->config.at("dilation"), CallValue(Dims{1, 1}));
      const Dims pads = std::get<Dims>(call->config.at("padding"));
      EXPECT_EQ(pads[0], padding);
      EXPECT_EQ(pads[2], padding);
      // Elements that strides leave over need no padding, and get none.
      EXPECT_LE(pads[1], padding);
      EXPECT_LE(pads[3], padding);
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, kCalls);
  }
}

TEST(LowerConvolutionsTest, WhatNoCallComputesStaysAsItWas) {
  const Backend backend(Backend::kTpu, kCalls);
  const auto calls = [&](DType dtype, const Conv2dOptions& options) {
    Graph graph(1);
    Value x = graph.Parameter("x", {dtype, {2, 6, 6, 4}});
    Value kernel =
        graph.Parameter("kernel", {dtype, {3, 3, 4 / options.groups, 4}});
    const Value y = Conv2d(x, kernel, options);
    const Simplified simplified = Simplify(graph, {y.id()}, backend);
    const auto& nodes = simplified.graph->nodes();
    return std::count_if(nodes.begin(), nodes.end(), [](const Node& node) {
      return node.op == OpCode::kCustomCall;
    });
  };
  EXPECT_EQ(calls(DType::kF32, {}), 1);
  EXPECT_EQ(calls(DType::kF32, {.kernel_dilation = {2, 2}}), 1);
  EXPECT_EQ(calls(DType::kF64, {}), 0);
  EXPECT_EQ(calls(DType::kBF16, {}), 0);
  EXPECT_EQ(calls(DType::kF32, {.groups = 2}), 0);
  EXPECT_EQ(
      calls(DType::kF32, {.padding = Padding::Explicit({{-1, 1}, {0, 0}})}), 0);
}

}  // namespace
}  // namespace xla_byol::graph
