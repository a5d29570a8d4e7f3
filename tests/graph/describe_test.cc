#include "xla_byol/graph/describe.h"

#include "gtest/gtest.h"
#include "tests/graph/resnet50.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol::graph {
namespace {

TEST(DescribeTest, CountsByScope) {
  Graph graph;
  Value x = graph.Parameter("x", {DType::kF32, {4, 8}});
  Value w = graph.Parameter("net/dense/w", {DType::kF32, {8, 2}});
  Value y;
  {
    Scope net(graph, "net");
    Scope dense(graph, "dense");
    y = Tanh(MatMul(x, w));
  }
  Exp(y);  // not needed, not counted
  const auto costs = CostByScope(graph, {y}, 2);
  EXPECT_EQ(costs.at("").parameter_bytes, 4 * 8 * 4);
  const ScopeCost& cost = costs.at("net/dense");
  EXPECT_EQ(cost.ops, 2);
  EXPECT_EQ(cost.flops, 2 * 4 * 2 * 8 + 4 * 2);
  EXPECT_EQ(cost.parameter_bytes, 8 * 2 * 4);
  EXPECT_EQ(cost.activation_bytes, 2 * 4 * 2 * 4);
  EXPECT_EQ(CostByScope(graph, {y}, 1).count("net"), 1u);
  EXPECT_EQ(Describe(graph, {y}, 2),
            "scope         ops        MFLOP parameters KiB activations KiB\n"
            "-               0        0.000            0.1             0.0\n"
            "net/dense       2        0.000            0.1             0.1\n"
            "total           2        0.000            0.2             0.1\n");
}

// 4.1 billion multiplications and additions per image is what the literature
// gives for ResNet-50 at 224 pixels with the stride in the 3x3.
TEST(DescribeTest, ResNet50CostsWhatItShould) {
  Graph graph;
  const ResNet50 net = BuildResNet50(graph, 1, 224);
  int64_t flops = 0, parameters = 0;
  for (const auto& [path, cost] : CostByScope(graph, {net.loss})) {
    flops += cost.flops;
    if (!path.empty()) parameters += cost.parameter_bytes;
  }
  EXPECT_NEAR(static_cast<double>(flops), 2 * 4.1e9, 0.15e9);
  // torchvision's resnet50 has 25557032, of which 1000 are a bias.
  EXPECT_EQ(parameters, 4 * (25557032 - 1000));
}

}  // namespace
}  // namespace xla_byol::graph
