#include "xla_byol/nn/layers.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/graph/evaluate.h"

namespace xla_byol::nn {
namespace {

using graph::Dims;
using graph::DType;
using graph::Graph;
using graph::Scope;
using graph::Shape;
using graph::Tensor;
using graph::Tensors;
using graph::Value;

const Shape kPair{DType::kF32, {2}};

TEST(DenseTest, MultipliesAndAdds) {
  for (const bool bias : {false, true}) {
    Graph graph;
    Variables variables(graph);
    const Shape shape{DType::kF32, {1, 2}};
    const Value x = graph.Parameter("x", shape);
    const Value y = Dense(variables, x, 2, bias).only();
    Tensors inputs = {{shape, {1, 2}},
                      {{DType::kF32, {2, 2}}, {1, 10, 100, 1000}}};
    if (bias) inputs.push_back({kPair, {5, -5}});
    const auto result = Evaluate(graph, {y}, inputs);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ((*result)[0].data[0], 201 + (bias ? 5 : 0));
    EXPECT_EQ((*result)[0].data[1], 2010 - (bias ? 5 : 0));
  }
}

// Batch norm of a [4, 2] batch; returns y and the new mean and variance.
struct Normalized {
  Tensor y, mean, variance;
};

Normalized Norm(const BatchNormOptions& options,
                const std::vector<double>& rates, int views = 1,
                ViewLayout layout = ViewLayout::kJoined) {
  Graph graph;
  Variables variables(graph);
  const Shape shape{DType::kF32, {4, 2}};
  const Value x = graph.Parameter("x", shape);
  BatchNormOptions with_rates = options;
  for (const double rate : rates) {
    with_rates.rates.push_back(Constant(graph, rate));
  }
  std::vector<Value> parts;
  for (int64_t i = 0; i < views; ++i) {
    parts.push_back(SliceAxis(x, 0, i * 4 / views, (i + 1) * 4 / views));
  }
  const Views normalized =
      BatchNorm(variables, Views::Apart(parts).In(layout), with_rates);
  const Value y =
      graph::Concatenate(normalized.In(ViewLayout::kApart).parts(), 0);
  const auto now = [&](const char* name) {
    return variables.Statistic(name, {2}, Initializer::Constant(0));
  };
  // Inputs: x, scale, offset, mean, var.
  const auto result = Evaluate(graph, {y, now("mean") + 0.0, now("var") + 0.0},
                               {{shape, {0, 1, 2, 1, 4, 5, 10, 5}},
                                {kPair, {2, 1}},
                                {kPair, {0, 3}},
                                {kPair, {1, 0}},
                                {kPair, {4, 1}}});
  EXPECT_TRUE(result.ok()) << result.status();
  return {(*result)[0], (*result)[1], (*result)[2]};
}

TEST(BatchNormTest, UsesTheBatchsStatisticsAndMovesTheRunningOnes) {
  // Column 1: mean 4, variance 14; column 2: mean 3, variance 4.
  const Normalized all = Norm({.epsilon = 0}, {0.5});
  EXPECT_NEAR(all.y.data[0], 2 * (0 - 4) / std::sqrt(14), 1e-6);
  EXPECT_NEAR(all.y.data[7], (5 - 3) / 2.0 + 3, 1e-6);
  EXPECT_NEAR(all.mean.data[0], 0.5 * 1 + 0.5 * 4, 1e-6);
  EXPECT_NEAR(all.variance.data[0], 0.5 * 4 + 0.5 * 14, 1e-6);
}

TEST(BatchNormTest, ViewsHaveStatisticsOfTheirOwn) {
  // View 1, column 1: 0, 2; view 2: 4, 10.
  for (const ViewLayout layout :
       {ViewLayout::kJoined, ViewLayout::kPacked, ViewLayout::kApart}) {
    SCOPED_TRACE(static_cast<int>(layout));
    const Normalized views = Norm({.epsilon = 0}, {0.5, 0.25}, 2, layout);
    EXPECT_NEAR(views.y.data[0], -2, 1e-5);
    EXPECT_NEAR(views.y.data[2], 2, 1e-5);
    EXPECT_NEAR(views.y.data[4], -2, 1e-5);
    EXPECT_NEAR(views.mean.data[0], 0.75 * (0.5 * 1 + 0.5 * 1) + 0.25 * 7,
                1e-6);
    EXPECT_NEAR(views.variance.data[0], 0.75 * (0.5 * 4 + 0.5 * 1) + 0.25 * 9,
                1e-5);
  }
}

TEST(BatchNormTest, EvaluatesWithTheRunningStatistics) {
  const Normalized frozen = Norm({.epsilon = 0, .training = false}, {});
  EXPECT_NEAR(frozen.y.data[0], 2 * (0 - 1) / 2.0, 1e-6);
  EXPECT_NEAR(frozen.y.data[1], 1 + 3, 1e-6);
  EXPECT_EQ(frozen.mean.data[0], 1);
}

// 4 rows on each of 2 replicas are 8 rows on one.
TEST(BatchNormTest, TakesStatisticsOverAllReplicas) {
  std::mt19937 rng(4);
  const Tensor whole = graph::Random({DType::kF32, {8, 3}}, -1, 2, rng);
  const Tensors others = {{{DType::kF32, {3}}, {1, 2, 3}},
                          {{DType::kF32, {3}}, {0, 1, 0}},
                          {{DType::kF32, {3}}, {0, 0, 0}},
                          {{DType::kF32, {3}}, {1, 1, 1}}};
  const auto run = [&](int replicas) {
    Graph graph(replicas);
    Variables variables(graph);
    const Shape shape{DType::kF32, {8 / replicas, 3}};
    const Value y =
        BatchNorm(variables, graph.Parameter("x", shape), BatchNormOptions{})
            .only();
    const auto compiled =
        graph::Compiled::Make(Finish(graph, {{"y", y}}).value());
    std::vector<Tensors> inputs;
    for (int64_t r = 0; r < replicas; ++r) {
      Tensors mine = {graph::Generate(shape, [&](const Dims& at) {
        return whole.at({r * shape.dims[0] + at[0], at[1]});
      })};
      mine.insert(mine.end(), others.begin(), others.end());
      inputs.push_back(mine);
    }
    std::vector<double> rows;
    const std::vector<Tensors> results = compiled->Run(inputs).value();
    for (const Tensors& replica : results) {
      rows.insert(rows.end(), replica[0].data.begin(), replica[0].data.end());
    }
    return rows;
  };
  const std::vector<double> one = run(1), two = run(2);
  ASSERT_EQ(one.size(), two.size());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], two[i], 1e-6);
}

// Groups of replicas are batches of their own; running statistics see them all.
TEST(BatchNormTest, TakesStatisticsOverGroupsOfReplicas) {
  const Shape shape{DType::kF32, {2, 1}};
  const Shape one{DType::kF32, {1}};
  Graph graph(2);
  Variables variables(graph);
  const Value y =
      BatchNorm(variables, graph.Parameter("x", shape),
                {.epsilon = 0, .rates = {Constant(graph, 0.5)}, .group = 1})
          .only();
  const Value mean = variables.Statistic("mean", {1}, {});
  const Value variance = variables.Statistic("var", {1}, {});
  const auto compiled = graph::Compiled::Make(
      Finish(graph, {{"y", y}, {"mean", mean}, {"var", variance}}).value());
  // Mean 1 and variance 1; mean 12 and variance 4.
  std::vector<Tensors> inputs;
  for (const std::vector<double>& rows :
       {std::vector<double>{0, 2}, std::vector<double>{10, 14}}) {
    inputs.push_back(
        {{shape, rows}, {one, {1}}, {one, {0}}, {one, {1}}, {one, {3}}});
  }
  const std::vector<Tensors> results = compiled->Run(inputs).value();
  for (const Tensors& replica : results) {
    EXPECT_NEAR(replica[0].data[0], -1, 1e-6);
    EXPECT_NEAR(replica[0].data[1], 1, 1e-6);
    EXPECT_NEAR(replica[1].data[0], 0.5 * 1 + 0.5 * 6.5, 1e-6);
    EXPECT_NEAR(replica[2].data[0], 0.5 * 3 + 0.5 * 2.5, 1e-6);
  }
}

TEST(MlpTest, NamesItsLayers) {
  Graph graph;
  Variables variables(graph);
  const Value x = graph.Parameter("x", {DType::kF32, {4, 3}});
  {
    Scope scope(graph, "head");
    EXPECT_EQ(Mlp(variables, x, 5, 2, BatchNormOptions{}).only().dims(),
              (Dims{4, 2}));
  }
  EXPECT_TRUE(graph.status().ok()) << graph.status();
  std::vector<std::string> names;
  for (const Variable& variable : variables.all()) {
    names.push_back(variable.path + " " + variable.shape.ToString());
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "head/dense1/w f32[3,5]", "head/dense1/b f32[5]",
                "head/norm/scale f32[5]", "head/norm/offset f32[5]",
                "batch_stats/head/norm/mean f32[5]",
                "batch_stats/head/norm/var f32[5]", "head/dense2/w f32[5,2]"}));
}

}  // namespace
}  // namespace xla_byol::nn
