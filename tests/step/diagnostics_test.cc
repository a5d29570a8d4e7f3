#include "xla_byol/step/diagnostics.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/graph/evaluate.h"

namespace xla_byol {
namespace {

using graph::Dims;
using graph::DType;
using graph::Generate;
using graph::Shape;
using graph::Tensor;
using graph::Value;

constexpr int64_t kSide = 6;

std::map<std::string, double> Evaluated(const graph::Graph& graph,
                                        const NamedValues& named,
                                        const graph::Tensors& inputs) {
  std::vector<Value> values;
  for (const auto& [name, value] : named) values.push_back(value);
  const auto results = Evaluate(graph, values, inputs);
  EXPECT_TRUE(results.ok()) << results.status();
  std::map<std::string, double> numbers;
  for (size_t i = 0; results.ok() && i < named.size(); ++i) {
    numbers[named[i].first] = (*results)[i].data[0];
  }
  return numbers;
}

std::map<std::string, double> OfPredictor(double (*entry)(const Dims&)) {
  graph::Graph graph;
  const Shape shape{DType::kF32, {kSide, kSide}};
  const Value p = graph.Parameter("p", shape);
  return Evaluated(graph, PredictorDiagnostics(p), {Generate(shape, entry)});
}

// f32 rounding through the squarings and roots of some thirty products; norms
// are from above by at most 6^(1/8192), 0.02 %.
constexpr double kTolerance = 2e-3;

TEST(DiagnosticsTest, ScaledProjection) {
  // 3 v v^T / |v|^2 with v = 1, 2, ...: rank one, symmetric, idempotent.
  auto numbers = OfPredictor([](const Dims& at) {
    return 3.0 * static_cast<double>((at[0] + 1) * (at[1] + 1)) / 91.0;
  });
  EXPECT_NEAR(numbers["predictor_trace"], 1, kTolerance);
  EXPECT_NEAR(numbers["predictor_stable_rank"], 1, kTolerance);
  EXPECT_NEAR(numbers["predictor_projection_error"], 0, kTolerance);
  EXPECT_NEAR(numbers["predictor_asymmetry"], 0, kTolerance);
}

TEST(DiagnosticsTest, Rotation) {
  // A cyclic shift: orthogonal, and as far from symmetric and idempotent as its
  // eigenvalues, the sixth roots of 1, say.
  auto numbers = OfPredictor(
      [](const Dims& at) { return (at[0] + 1) % kSide == at[1] ? 5.0 : 0.0; });
  EXPECT_NEAR(numbers["predictor_trace"], 0, kTolerance);
  EXPECT_NEAR(numbers["predictor_stable_rank"], 6, 6 * kTolerance);
  EXPECT_NEAR(numbers["predictor_projection_error"], 2, kTolerance);
  EXPECT_NEAR(numbers["predictor_asymmetry"], 2 * std::sin(std::acos(-1.0) / 3),
              kTolerance);
  EXPECT_NEAR(numbers["predictor_polar_distance"], 0, kTolerance);
}

TEST(DiagnosticsTest, LossDecomposition) {
  // Latents along the first coordinates of the batch: what lies outside of
  // their span is simply the rest of the rows.
  constexpr int64_t kBatch = 10, kLatents = 3;
  const Shape shape{DType::kF32, {kBatch, kLatents}};
  const Tensor z = Generate(shape, [](const Dims& at) {
    return at[0] == at[1] ? 1.0 + static_cast<double>(at[1]) : 0.0;
  });
  std::mt19937 rng(3);
  const Tensor t1 = graph::Random(shape, -1, 1, rng);
  const Tensor t2 = graph::Random(shape, -1, 1, rng);
  graph::Graph graph;
  const Value z1 = graph.Parameter("z1", shape);
  const ViewPair target = {graph.Parameter("t1", shape),
                           graph.Parameter("t2", shape)};
  auto numbers =
      Evaluated(graph, LossDecomposition({z1, z1}, target), {z, t1, t2});
  const auto outside = [&](auto noise) {
    double sum = 0;
    for (int64_t i = kLatents; i < kBatch; ++i) {
      for (int64_t j = 0; j < kLatents; ++j) {
        sum += std::pow(noise(Dims{i, j}), 2);
      }
    }
    return sum / kBatch;
  };
  EXPECT_NEAR(numbers["residual_loss"],
              outside([&](const Dims& at) { return t2.at(at); }), 1e-4);
  EXPECT_NEAR(numbers["residual_ema"],
              outside([&](const Dims& at) { return t1.at(at); }), 1e-4);
  EXPECT_NEAR(numbers["residual_resampling"],
              outside([&](const Dims& at) { return t2.at(at) - t1.at(at); }),
              1e-4);
}

TEST(DiagnosticsTest, UnitSpreadIsZeroWhenAllRowsAreAlike) {
  graph::Graph graph;
  const Shape shape{DType::kF32, {8, 4}};
  const Value rows = graph.Parameter("rows", shape);
  const NamedValues spread = {{"spread", UnitSpread(rows)}};
  // Multiples of one row have the same direction.
  EXPECT_NEAR(Evaluated(graph, spread,
                        {Generate(shape,
                                  [](const Dims& at) {
                                    return static_cast<double>((at[0] + 1) *
                                                               (at[1] + 1));
                                  })})["spread"],
              0, 1e-3);
  // One coordinate each, evenly: mean 1/4, mean square 1/4.
  EXPECT_NEAR(Evaluated(graph, spread,
                        {Generate(shape,
                                  [](const Dims& at) {
                                    return at[0] % 4 == at[1] ? 2.0 : 0.0;
                                  })})["spread"],
              std::sqrt(0.25 - 0.0625), 1e-5);
}

}  // namespace
}  // namespace xla_byol
