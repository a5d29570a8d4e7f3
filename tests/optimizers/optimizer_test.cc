#include "xla_byol/optimizers/optimizer.h"

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/graph/evaluate.h"
#include "xla_byol/config/schedules.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Graph;
using graph::Output;
using graph::Shape;
using graph::Tensor;
using graph::Tensors;
using graph::Value;

constexpr double kRate = 0.5;

Tensor Filled(const Shape& shape, double value) {
  return {shape,
          std::vector<double>(static_cast<size_t>(shape.elements()), value)};
}

// Parameter and slots after one step on `replicas` devices, each of which has
// the same gradient.
std::vector<Tensors> Step(const Config& config, const Tensors& before,
                          const Tensor& gradient, int replicas = 1,
                          std::pair<double, double> scalars = {0.25, 0.5}) {
  Graph graph(replicas);
  const Value p = graph.Parameter("p", before[0].shape);
  const Value g = graph.Parameter("g", gradient.shape);
  std::vector<Value> slots;
  Tensors inputs = {before[0], gradient};
  for (size_t i = 1; i < before.size(); ++i) {
    slots.push_back(
        graph.Parameter("slot" + std::to_string(i), before[i].shape));
    inputs.push_back(before[i]);
  }
  const UpdateResult update = UpdateTensor(
      config, p, g, slots, Constant(graph, kRate),
      {Constant(graph, scalars.first), Constant(graph, scalars.second)});
  std::vector<Output> outputs = {{"p", update.parameter}};
  for (size_t i = 0; i < update.slots.size(); ++i) {
    outputs.push_back({"next_slot" + std::to_string(i), update.slots[i]});
  }
  const auto program = Finish(graph, outputs);
  EXPECT_TRUE(program.ok()) << program.status();
  const auto compiled = graph::Compiled::Make(*program);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  const auto results = compiled->Run(
      std::vector<Tensors>(static_cast<size_t>(replicas), inputs));
  EXPECT_TRUE(results.ok()) << results.status();
  return *results;
}

Config Lars(double weight_decay, bool clip = false) {
  Config config;
  Optimizer* optimizer = config.mutable_optimizer();
  optimizer->set_weight_decay(static_cast<float>(weight_decay));
  optimizer->set_momentum(0.75f);
  optimizer->set_trust_coefficient(0.125f);
  optimizer->set_clip_trust(clip);
  return config;
}

TEST(OptimizerTest, SlotsAreNamedAfterTheTensor) {
  EXPECT_EQ(SlotPath("momentum", "online/resnet/stem/conv/w"),
            "momentum/resnet/stem/conv/w");
}

TEST(LarsTest, ScalesMatricesToTheirSize) {
  const Shape shape{DType::kF32, {2, 2}};
  // |p| = 4, u = g + p / 2 = (4, 4, 4, 4), |u| = 8: u becomes 1/4 everywhere.
  const Tensors after = Step(Lars(0.5), {Filled(shape, 2), Filled(shape, 4)},
                             Filled(shape, 3))[0];
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(after[1].data[i], 0.75 * 4 + 0.25, 1e-6);
    EXPECT_NEAR(after[0].data[i], 2 - kRate * 3.25, 1e-6);
  }
}

TEST(LarsTest, VectorsFollowPlainMomentum) {
  const Shape shape{DType::kF32, {3}};
  const Tensors after = Step(Lars(0.5), {Filled(shape, 2), Filled(shape, 4)},
                             Filled(shape, 3))[0];
  EXPECT_NEAR(after[1].data[0], 0.75 * 4 + 3, 1e-6);
  EXPECT_NEAR(after[0].data[0], 2 - kRate * 6, 1e-6);
}

TEST(LarsTest, ZeroWeightsAndZeroGradientsAreNotScaled) {
  const Shape shape{DType::kF32, {2, 2}};
  const Tensors from_zero =
      Step(Lars(0), {Filled(shape, 0), Filled(shape, 0)}, Filled(shape, 3))[0];
  EXPECT_NEAR(from_zero[0].data[0], -kRate * 3, 1e-6);
  const Tensors no_gradient =
      Step(Lars(0), {Filled(shape, 2), Filled(shape, 0)}, Filled(shape, 0))[0];
  EXPECT_EQ(no_gradient[0].data[0], 2);
}

TEST(LarsTest, ClippedNeverStepsFurtherThanMomentum) {
  const Shape shape{DType::kF32, {2, 2}};
  // The ratio is 1/8 * 4 / 0.02 = 25, over the rate 50: clipped to 1.
  const Tensors small =
      Step(Lars(0, true), {Filled(shape, 2), Filled(shape, 0)},
           Filled(shape, 0.01))[0];
  EXPECT_NEAR(small[0].data[0], 2 - kRate * 0.01, 1e-6);
  // 1/8 * 4 / 40 / 0.5 = 1/40: scaled down, the rate cancels.
  const Tensors large =
      Step(Lars(0, true), {Filled(shape, 2), Filled(shape, 0)},
           Filled(shape, 20))[0];
  EXPECT_NEAR(large[0].data[0], 2 - kRate * 20 / 40, 1e-6);
}

TEST(SgdTest, MomentumAndNesterov) {
  const Shape shape{DType::kF32, {2}};
  Config config = Lars(0.5);
  config.mutable_optimizer()->set_kind(Optimizer::SGD);
  // u = 3 + 2 / 2 = 4, m = 3/4 * 4 + 4 = 7; vectors are decayed too.
  const Tensors plain =
      Step(config, {Filled(shape, 2), Filled(shape, 4)}, Filled(shape, 3))[0];
  EXPECT_NEAR(plain[1].data[0], 7, 1e-6);
  EXPECT_NEAR(plain[0].data[0], 2 - kRate * 7, 1e-6);
  config.mutable_optimizer()->set_nesterov(true);
  config.mutable_optimizer()->set_decayed(Optimizer::MATRICES);
  // u = 3, m = 6, step 3 + 3/4 * 6.
  const Tensors ahead =
      Step(config, {Filled(shape, 2), Filled(shape, 4)}, Filled(shape, 3))[0];
  EXPECT_NEAR(ahead[0].data[0], 2 - kRate * 7.5, 1e-6);
}

TEST(AdamWTest, AveragesAndDecaysApart) {
  const Shape shape{DType::kF32, {1, 1}};
  Config config = Lars(0.5);
  config.mutable_optimizer()->set_kind(Optimizer::ADAMW);
  config.mutable_optimizer()->set_epsilon(1.0f);
  // m = 4 + (8 - 4) / 4 = 5, v = 36 + (64 - 36) / 2 = 50.
  const Tensors after =
      Step(config, {Filled(shape, 2), Filled(shape, 4), Filled(shape, 36)},
           Filled(shape, 8))[0];
  EXPECT_NEAR(after[1].data[0], 5, 1e-6);
  EXPECT_NEAR(after[2].data[0], 50, 1e-6);
  EXPECT_NEAR(after[0].data[0],
              2 - kRate * (5 / (std::sqrt(50.0) + 1) + 0.5 * 2), 1e-6);
}

// The first step's rates are 1: nothing is left of the slots, not even their
// rounding, beside which the square of a gradient is small.
TEST(AdamWTest, FirstStepIsTheGradientAlone) {
  const Shape shape{DType::kF32, {2}};
  Config config = Lars(0);
  config.mutable_optimizer()->set_kind(Optimizer::ADAMW);
  config.mutable_optimizer()->set_epsilon(1e-8f);
  const Tensors after =
      Step(config, {Filled(shape, 2), Filled(shape, 4), Filled(shape, 36)},
           Filled(shape, 1e-3), 1, {1, 1})[0];
  EXPECT_NEAR(after[1].data[0], 1e-3, 1e-9);
  EXPECT_NEAR(after[2].data[0], 1e-6, 1e-12);
  EXPECT_NEAR(after[0].data[0], 2 - kRate, 1e-4);
}

// Adam as its paper has it, in f64: averages that start at 0 and are divided by
// 1 - beta^t. The rates are those of a training.
TEST(AdamWTest, IsAdamOverManySteps) {
  const Shape shape{DType::kF32, {3}};
  Config config = Lars(0);
  Optimizer* optimizer = config.mutable_optimizer();
  optimizer->set_kind(Optimizer::ADAMW);
  optimizer->set_beta1(0.9f);
  optimizer->set_beta2(0.999f);
  optimizer->set_epsilon(1e-3f);
  const double beta1 = optimizer->beta1(), beta2 = optimizer->beta2();
  std::mt19937 rng(5);
  Tensors now = {graph::Random(shape, -1, 1, rng), Filled(shape, 0),
                 Filled(shape, 0)};
  std::vector<double> p = now[0].data, m(3), v(3);
  for (int t = 1; t <= 20; ++t) {
    const Tensor gradient = graph::Random(shape, -0.01, 0.01, rng);
    now = Step(config, now, gradient, 1,
               {DebiasedRate(beta1, t), DebiasedRate(beta2, t)})[0];
    for (size_t i = 0; i < 3; ++i) {
      const double g = gradient.data[i];
      m[i] = beta1 * m[i] + (1 - beta1) * g;
      v[i] = beta2 * v[i] + (1 - beta2) * g * g;
      p[i] -= kRate * (m[i] / (1 - std::pow(beta1, t))) /
              (std::sqrt(v[i] / (1 - std::pow(beta2, t))) + 1e-3);
      // Twenty roundings of numbers below 4.
      EXPECT_NEAR(now[0].data[i], p[i], 1e-5) << "step " << t;
    }
  }
}

// Sums over parts of a matrix: as many parts as replicas, fewer (of which
// several replicas take the same one), and one that cannot be divided.
TEST(OptimizerTest, ShardedNormsAreTheSame) {
  std::mt19937 rng(4);
  for (const Shape& shape :
       {Shape{DType::kF32, {32, 5}}, Shape{DType::kF32, {3, 3, 16, 2}},
        Shape{DType::kF32, {24, 3}}, Shape{DType::kF32, {9, 3}}}) {
    Config config = Lars(0.25);
    const Tensors before = {graph::Random(shape, -1, 1, rng),
                            graph::Random(shape, -1, 1, rng)};
    const Tensor gradient = graph::Random(shape, -1, 1, rng);
    Tensor sum = gradient;
    for (double& value : sum.data) value *= 4;
    const Tensors whole = Step(config, before, sum)[0];
    config.mutable_execution()->set_sharded_norms(true);
    for (const Tensors& replica : Step(config, before, gradient, 4)) {
      for (size_t i = 0; i < whole.size(); ++i) {
        EXPECT_LT(Distance(replica[i], whole[i]), 1e-6);
      }
    }
  }
}

// A gradient is rounded to bf16, 8 bits, before it is added up and after it;
// parameter and momentum stay f32.
TEST(OptimizerTest, Bf16GradientsAreRounded) {
  std::mt19937 rng(6);
  const Shape shape{DType::kF32, {16, 4}};
  const Tensors before = {graph::Random(shape, -1, 1, rng),
                          graph::Random(shape, -1, 1, rng)};
  const Tensor gradient = graph::Random(shape, -1, 1, rng);
  for (const bool sharded : {false, true}) {
    Config config = Lars(0.25);
    config.mutable_execution()->set_sharded_update(sharded);
    const Tensors exact = Step(config, before, gradient, 2)[0];
    config.mutable_execution()->set_bf16_gradients(true);
    const std::vector<Tensors> rounded = Step(config, before, gradient, 2);
    const double error = Distance(rounded[0][1], exact[1]);
    EXPECT_GT(error, 1e-5);
    EXPECT_LT(error, 1.0 / 256);
    EXPECT_EQ(Distance(rounded[0][0], rounded[1][0]), 0);
  }
  // What bf16 holds is exact.
  Config config = Lars(0.5);
  config.mutable_execution()->set_bf16_gradients(true);
  const Shape square{DType::kF32, {2, 2}};
  const Tensors after = Step(config, {Filled(square, 2), Filled(square, 4)},
                             Filled(square, 1.5), 2)[0];
  EXPECT_NEAR(after[1].data[0], 0.75 * 4 + 0.25, 1e-6);
}

// Whatever the optimizer, shares of a tensor add up to the whole.
TEST(OptimizerTest, ShardedUpdateIsTheSame) {
  std::mt19937 rng(3);
  for (const OptimizerRow* row : Optimizers()) {
    for (const Shape& shape :
         {Shape{DType::kF32, {3, 5}}, Shape{DType::kF32, {7}}}) {
      Config config = Lars(0.25);
      config.mutable_optimizer()->set_kind(row->kind);
      Tensors before = {graph::Random(shape, -1, 1, rng)};
      for (size_t i = 0; i < row->slots.size(); ++i) {
        before.push_back(graph::Random(shape, 0.1, 1, rng));
      }
      const Tensor gradient = graph::Random(shape, -1, 1, rng);
      Tensor twice = gradient;
      for (double& value : twice.data) value *= 2;
      const Tensors whole = Step(config, before, twice)[0];
      config.mutable_execution()->set_sharded_update(true);
      for (const Tensors& replica : Step(config, before, gradient, 2)) {
        for (size_t i = 0; i < whole.size(); ++i) {
          EXPECT_LT(Distance(replica[i], whole[i]), 1e-6);
        }
      }
    }
  }
}

}  // namespace
}  // namespace xla_byol
