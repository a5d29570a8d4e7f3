#include "xla_byol/methods/losses.h"

#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/graph/evaluate.h"
#include "xla_byol/graph/grad.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::Tensor;
using graph::Value;

double Regression(const Tensor& prediction, const Tensor& target) {
  Graph graph;
  const Value p = graph.Parameter("p", prediction.shape);
  const Value t = graph.Parameter("t", target.shape);
  const auto result =
      Evaluate(graph, {RegressionLoss(p, t)}, {prediction, target});
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? (*result)[0].data[0] : NAN;
}

TEST(RegressionLossTest, IsTwoMinusTwoCosines) {
  const Shape shape{DType::kF32, {2, 2}};
  const Tensor x{shape, {1, 0, 0, 5}};
  EXPECT_NEAR(Regression(x, x), 0, 1e-6);
  EXPECT_NEAR(Regression(x, Tensor{shape, {-3, 0, 0, -1}}), 4, 1e-6);
  EXPECT_NEAR(Regression(x, Tensor{shape, {0, 2, 7, 0}}), 2, 1e-6);
  // cos 45 degrees in the first row, 1 in the second.
  EXPECT_NEAR(Regression(x, Tensor{shape, {2, 2, 0, 1}}),
              (2 - 2 * std::sqrt(0.5)) / 2, 1e-6);
}

TEST(RegressionLossTest, ZeroRowsHaveFiniteLossAndGradient) {
  Graph graph;
  const Shape shape{DType::kF32, {3, 4}};
  const Value p = graph.Parameter("p", shape);
  const Value t = graph.Parameter("t", shape);
  const Value loss = RegressionLoss(p, t);
  const Tensor zero{shape, std::vector<double>(12, 0)};
  const auto result = Evaluate(graph, {loss, Grad(loss, {p})[0]}, {zero, zero});
  ASSERT_TRUE(result.ok()) << result.status();
  for (const Tensor& tensor : *result) {
    for (const double value : tensor.data) EXPECT_EQ(value, 0);
  }
}

TEST(ProbeLossTest, CountsLabelledImagesOnly) {
  Graph graph;
  const Shape logits{DType::kF32, {4, 3}};
  const Shape labels{DType::kS32, {4}};
  const Value x = graph.Parameter("logits", logits);
  const ProbeResult probe = ProbeLoss(x, graph.Parameter("labels", labels));
  // Right, wrong, no label, right.
  const auto result =
      Evaluate(graph, {probe.loss, probe.accuracy},
               {Tensor{logits, {2, 0, 0, 0, 1, 0, 9, 9, 9, 0, 0, 1000}},
                Tensor{labels, {0, 2, -1, 2}}});
  ASSERT_TRUE(result.ok()) << result.status();
  const double first = std::log(std::exp(2) + 2) - 2;
  const double second = std::log(std::exp(1) + 2);
  EXPECT_NEAR((*result)[0].data[0], (first + second + 0) / 3, 1e-6);
  EXPECT_NEAR((*result)[1].data[0], 2.0 / 3, 1e-6);
}

TEST(ProbeLossTest, WithoutLabelsThereIsNothingToLearn) {
  Graph graph;
  const Shape logits{DType::kF32, {2, 3}};
  const Shape labels{DType::kS32, {2}};
  const Value x = graph.Parameter("logits", logits);
  const ProbeResult probe = ProbeLoss(x, graph.Parameter("labels", labels));
  const auto result =
      Evaluate(graph, {probe.loss, probe.accuracy, Grad(probe.loss, {x})[0]},
               {Tensor{logits, {1, 2, 3, 4, 5, 6}}, Tensor{labels, {-1, -1}}});
  ASSERT_TRUE(result.ok()) << result.status();
  for (const Tensor& tensor : *result) {
    for (const double value : tensor.data) EXPECT_EQ(value, 0);
  }
}

TEST(ProbeLossTest, ProbesSideBySideAreProbesAlone) {
  std::mt19937 rng(5);
  const Shape both{DType::kF32, {6, 2, 4}};
  const Shape single{DType::kF32, {6, 4}};
  const Shape labels{DType::kS32, {6}};
  const Tensor all = graph::Random(both, -1, 1, rng);
  const Tensor numbers{labels, {0, 1, 2, 3, -1, 0}};
  Graph graph;
  const Value x = graph.Parameter("logits", both);
  const ProbeResult together =
      ProbeLosses(x, graph.Parameter("labels", labels));
  const auto joint =
      Evaluate(graph, {together.loss, together.accuracy}, {all, numbers});
  ASSERT_TRUE(joint.ok()) << joint.status();
  for (int64_t k = 0; k < 2; ++k) {
    Graph alone;
    const Value own = alone.Parameter("logits", single);
    const ProbeResult one = ProbeLoss(own, alone.Parameter("labels", labels));
    const auto result =
        Evaluate(alone, {one.loss, one.accuracy},
                 {graph::Generate(single,
                                  [&](const graph::Dims& at) {
                                    return all.at({at[0], k, at[1]});
                                  }),
                  numbers});
    ASSERT_TRUE(result.ok()) << result.status();
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR((*result)[i].data[0], (*joint)[i].data[k], 1e-6);
    }
  }
}

}  // namespace
}  // namespace xla_byol
