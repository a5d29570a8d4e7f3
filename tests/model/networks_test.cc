#include "xla_byol/model/networks.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/graph/evaluate.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::Tensor;
using graph::Value;

Config Small(std::vector<std::string> set = {}) {
  std::vector<std::string> all = {"model.architecture=tiny",
                                  "model.stem=small",
                                  "model.base_channels=4",
                                  "data.image_size=8",
                                  "model.projector_hidden_size=12",
                                  "model.projector_output_size=6",
                                  "predictor.hidden_size=10",
                                  "schedule.batch_size=4",
                                  "data.classes=3"};
  all.insert(all.end(), set.begin(), set.end());
  return LoadConfig("", "", all, 1).value();
}

// Paths of the variables that the networks of a config ask for.
std::vector<std::string> Paths(const Config& config) {
  Graph graph;
  nn::Variables variables(graph);
  const Value images = Splat(graph, 0, Shape{DType::kF32, {2, 8, 8, 3}});
  const Value rate = Constant(graph, 1);
  const Latents latents =
      EncodeViews(config, variables, "online", {images, images}, {rate, rate});
  EXPECT_EQ(latents.features.dims(), (graph::Dims{2, 32}));
  EXPECT_EQ(latents.projections.view1.dims(), (graph::Dims{2, 6}));
  if (IsTrainedPredictor(config.predictor().kind())) {
    const ViewPair predictions = TrainedPredictions(
        config, variables, latents.projections, {rate, rate});
    EXPECT_EQ(predictions.view2.dims(), (graph::Dims{2, 6}));
  }
  EXPECT_EQ(ProbeLogits(config, variables, latents.features).dims(),
            (graph::Dims{2, 3}));
  EXPECT_TRUE(graph.status().ok()) << graph.status();
  std::vector<std::string> heads;
  for (const nn::Variable& variable : variables.all()) {
    if (variable.role == nn::Role::kParameter &&
        !OnlineEncoderPath(variable.path).has_value()) {
      heads.push_back(variable.path);
    }
  }
  return heads;
}

TEST(NetworksTest, HeadsHaveTheirNamesAndShapes) {
  const std::vector<std::string> projector = {
      "online/projector/dense1/w", "online/projector/dense1/b",
      "online/projector/norm/scale", "online/projector/norm/offset",
      "online/projector/dense2/w"};
  const auto with = [&projector](std::vector<std::string> predictor) {
    std::vector<std::string> all = projector;
    all.insert(all.end(), predictor.begin(), predictor.end());
    all.insert(all.end(), {"online/probe/w", "online/probe/b"});
    return all;
  };
  EXPECT_EQ(Paths(Small()), with({}));
  EXPECT_EQ(Paths(Small({"predictor.kind=linear"})),
            with({"online/predictor/dense/w"}));
  EXPECT_EQ(Paths(Small({"predictor.kind=mlp"})),
            with({"online/predictor/dense1/w", "online/predictor/dense1/b",
                  "online/predictor/norm/scale", "online/predictor/norm/offset",
                  "online/predictor/dense2/w"}));
}

TEST(NetworksTest, PixelsAreNormalizedPerChannel) {
  const Config config =
      Small({"data.mean=[0.5,0.25,0]", "data.stddev=[0.5,1,2]"});
  for (const DType type : {DType::kU8, DType::kF32}) {
    Graph graph;
    const Shape shape{type, {1, 1, 2, 3}};
    const Value pixels = graph.Parameter("pixels", shape);
    const double unit = type == DType::kU8 ? 255 : 1;
    const auto result =
        Evaluate(graph, {NormalizePixels(config, pixels, DType::kF32)},
                 {Tensor{shape, {0, 0, 0, unit, unit, unit}}});
    ASSERT_TRUE(result.ok()) << result.status();
    const double expected[] = {-1, -0.25, 0, 1, 0.75, 0.5};
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR((*result)[0].data[i], expected[i], 1e-6) << i;
    }
  }
}

// A joined batch computes what the views one after the other compute.
TEST(NetworksTest, JoinedViewsHaveTheirOwnStatistics) {
  std::vector<Tensor> latents;
  for (const char* join : {"true", "false"}) {
    const Config config = Small({std::string("execution.join_views=") + join});
    Graph graph;
    nn::Variables variables(graph);
    const Shape shape{DType::kF32, {4, 8, 8, 3}};
    const ViewPair images = {graph.Parameter("view1", shape),
                             graph.Parameter("view2", shape)};
    const Value rate = Constant(graph, 0.5);
    const Latents online =
        EncodeViews(config, variables, "online", images, {rate, rate});
    std::mt19937 rng(1);
    graph::Tensors inputs = {graph::Random(shape, 0, 1, rng),
                             graph::Random(shape, -2, 3, rng)};
    for (const nn::Variable& variable : variables.all()) {
      inputs.push_back(graph::Random(variable.shape, 0.1, 0.5, rng));
    }
    const auto result = Evaluate(
        graph, {online.projections.view1, online.projections.view2}, inputs);
    ASSERT_TRUE(result.ok()) << result.status();
    latents.insert(latents.end(), result->begin(), result->end());
  }
  EXPECT_LT(Distance(latents[0], latents[2]), 1e-5);
  EXPECT_LT(Distance(latents[1], latents[3]), 1e-5);
  EXPECT_GT(Distance(latents[0], latents[1]), 1e-2);
}

}  // namespace
}  // namespace xla_byol
