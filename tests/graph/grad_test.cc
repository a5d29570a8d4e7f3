// What Grad builds: only what is needed, in the right scopes, and with
// Rematerialization once more. Numbers are tested op by op in ops_test.cc.

#include "xla_byol/graph/grad.h"

#include <algorithm>
#include <set>

#include "gtest/gtest.h"
#include "tests/graph/evaluate.h"
#include "tests/graph/resnet50.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/graph/simplify.h"

namespace xla_byol::graph {
namespace {

int64_t Count(const Graph& graph, OpCode op) {
  return std::count_if(graph.nodes().begin(), graph.nodes().end(),
                       [op](const Node& node) { return node.op == op; });
}

int64_t DeadNodes(const Graph& graph, const std::vector<Value>& outputs) {
  std::vector<int32_t> ids;
  for (const Value& value : outputs) ids.push_back(value.id());
  const std::vector<bool> live = LiveNodes(graph, ids);
  return std::count(live.begin(), live.end(), false);
}

TEST(GradTest, ResNet50HasNoDeadNodeAndTwoConvolutionsPerLayer) {
  Graph graph;
  const ResNet50 net = BuildResNet50(graph, 2, 224);
  const int64_t forward = Count(graph, OpCode::kConvolution);
  EXPECT_EQ(forward, 53);
  std::vector<Value> outputs = Grad(net.loss, net.parameters);
  ASSERT_TRUE(graph.status().ok()) << graph.status();
  outputs.push_back(net.loss);
  EXPECT_EQ(DeadNodes(graph, outputs), 0);
  // Two per layer, but one for the first, whose input needs no gradient.
  EXPECT_EQ(Count(graph, OpCode::kConvolution) - forward, 2 * 52 + 1);
}

TEST(GradTest, OnlyRequiredCotangentsAreBuilt) {
  Graph graph;
  Value x = graph.Parameter("x", {DType::kF32, {4, 3}});
  Value w = graph.Parameter("w", {DType::kF32, {3, 2}});
  Value loss = Sum(MatMul(x, w));
  const std::vector<Value> dw = Grad(loss, {w});
  EXPECT_EQ(Count(graph, OpCode::kDotGeneral), 2);
  EXPECT_EQ(DeadNodes(graph, {loss, dw[0]}), 0);
}

TEST(GradTest, WhatTheLossDoesNotSeeGetsZeros) {
  Graph graph;
  Value x = graph.Parameter("x", {DType::kF32, {2}});
  Value y = graph.Parameter("y", {DType::kF32, {3}});
  Value loss = Sum(StopGradient(x * 3.0) * x) + Sum(Floor(y));
  const std::vector<Value> gradients = Grad(loss, {x, y});
  auto results =
      Evaluate(graph, gradients, {{x.shape(), {1, 2}}, {y.shape(), {1, 2, 3}}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].data, (std::vector<double>{3, 6}));
  EXPECT_EQ((*results)[1].data, (std::vector<double>{0, 0, 0}));
}

TEST(GradTest, ReluAndMaximumAtTheirKinks) {
  Graph graph;
  Value x = graph.Parameter("x", {DType::kF64, {3}});
  const std::vector<Value> gradients = {Grad(Sum(Relu(x)), {x})[0],
                                        Grad(Sum(Maximum(x, 0.0)), {x})[0],
                                        Grad(ReduceMax(x, {0}), {x})[0]};
  auto results = Evaluate(graph, gradients, {{x.shape(), {0, 2, 2}}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].data, (std::vector<double>{0, 1, 1}));
  EXPECT_EQ((*results)[1].data, (std::vector<double>{0.5, 1, 1}));
  EXPECT_EQ((*results)[2].data, (std::vector<double>{0, 0.5, 0.5}));
}

TEST(GradTest, IntermediateValuesAndSecondDerivatives) {
  Graph graph;
  Value x = graph.Parameter("x", {DType::kF64, {}});
  Value y = x * x;
  Value z = y * y;  // x^4
  Value dz_dy = Grad(z, {y})[0];
  Value first = Grad(z, {x})[0];
  Value second = Grad(first, {x})[0];
  auto results = Evaluate(graph, {dz_dy, first, second}, {{x.shape(), {1.5}}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_DOUBLE_EQ((*results)[0].data[0], 2 * 1.5 * 1.5);
  EXPECT_DOUBLE_EQ((*results)[1].data[0], 4 * 1.5 * 1.5 * 1.5);
  EXPECT_DOUBLE_EQ((*results)[2].data[0], 12 * 1.5 * 1.5);
}

// Activations in bf16, parameters and loss in f32: gradients come back in the
// parameters' type.
TEST(GradTest, PassesThroughBFloat16) {
  Graph graph;
  Value w = graph.Parameter("w", {DType::kF32, {2}});
  Value half = Convert(w, DType::kBF16);
  Value loss = Sum(Convert(half * half, DType::kF32));
  Value gradient = Grad(loss, {w})[0];
  EXPECT_EQ(gradient.dtype(), DType::kF32);
  auto results = Evaluate(graph, {gradient}, {{w.shape(), {1.5, -3}}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].data, (std::vector<double>{3, -6}));
}

TEST(GradTest, GradientNodesCarryTheForwardScope) {
  Graph graph;
  Value x = graph.Parameter("x", {DType::kF32, {}});
  Value y;
  {
    Scope scope(graph, "net");
    y = Tanh(x);
  }
  Grad(y, {x});
  EXPECT_EQ(graph.scope(graph.nodes().back().scope).path, "gradient/net");
  EXPECT_EQ(graph.scope(graph.current_scope()).path, "");
}

// Two layers, each a product and a tanh.
struct Checkpointed {
  Graph graph{1};
  Value x, w, loss;
  std::vector<Value> gradients;

  explicit Checkpointed(bool region) {
    x = graph.Parameter("x", {DType::kF64, {4, 4}});
    w = graph.Parameter("w", {DType::kF64, {4, 4}});
    Value y = x;
    for (int layer = 0; layer < 2; ++layer) {
      Scope scope(graph, "layer");
      if (region) {
        Rematerialization region(graph);
        y = Layer(y);
      } else {
        y = Layer(y);
      }
    }
    loss = Sum(y);
    gradients = Grad(loss, {x, w});
  }
  Value Layer(Value y) const { return Tanh(AllReduce(Sine(MatMul(y, w)))); }
};

TEST(CheckpointTest, GivesTheSameNumbers) {
  Checkpointed plain(false), again(true);
  std::mt19937 rng(5);
  const Tensors inputs = {Random(plain.x.shape(), -1, 1, rng),
                          Random(plain.w.shape(), -1, 1, rng)};
  auto expected = Evaluate(plain.graph, plain.gradients, inputs);
  auto results = Evaluate(again.graph, again.gradients, inputs);
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(results.ok()) << results.status();
  for (int i : {0, 1}) {
    EXPECT_LT(Distance((*results)[i], (*expected)[i]), 1e-14);
  }
}

TEST(CheckpointTest, RecomputesBehindABarrierButKeepsCollectives) {
  Checkpointed plain(false), again(true);
  // Forward, input and kernel gradient, and once more.
  EXPECT_EQ(Count(plain.graph, OpCode::kDotGeneral), 6);
  EXPECT_EQ(Count(again.graph, OpCode::kDotGeneral), 8);
  EXPECT_EQ(Count(plain.graph, OpCode::kOptimizationBarrier), 0);
  EXPECT_EQ(Count(again.graph, OpCode::kOptimizationBarrier), 2);
  EXPECT_EQ(Count(plain.graph, OpCode::kAllReduce),
            Count(again.graph, OpCode::kAllReduce));
  std::vector<Value> outputs = again.gradients;
  outputs.push_back(again.loss);
  EXPECT_EQ(DeadNodes(again.graph, outputs), 0);
  std::set<std::string> scopes;
  for (const Node& node : again.graph.nodes()) {
    scopes.insert(again.graph.scope(node.scope).path);
  }
  EXPECT_TRUE(scopes.contains("recompute/layer"));
  // The simplifier must not undo it.
  std::vector<int32_t> ids;
  for (Value value : outputs) ids.push_back(value.id());
  const Simplified simplified = Simplify(again.graph, ids, Backend::kTpu);
  EXPECT_EQ(Count(*simplified.graph, OpCode::kDotGeneral), 8);
}

TEST(CheckpointTest, ResNet50RecomputesEachBlockOnce) {
  Graph graph;
  const ResNet50 net = BuildResNet50(graph, 2, 64, /*checkpoint_blocks=*/true);
  std::vector<Value> outputs = Grad(net.loss, net.parameters);
  ASSERT_TRUE(graph.status().ok()) << graph.status();
  outputs.push_back(net.loss);
  EXPECT_EQ(DeadNodes(graph, outputs), 0);
  EXPECT_EQ(Count(graph, OpCode::kConvolution), 53 + 105 + 52);
  EXPECT_EQ(Count(graph, OpCode::kOptimizationBarrier), 16);
}

}  // namespace
}  // namespace xla_byol::graph
