#include "xla_byol/nn/resnet.h"

#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_byol/graph/program.h"

namespace xla_byol::nn {
namespace {

using graph::Dims;
using graph::DType;
using graph::Graph;
using graph::Scope;
using graph::Value;
using ::testing::HasSubstr;

struct Built {
  int64_t parameters = 0;
  Dims output;
  std::set<std::string> paths;
  absl::Status status;
};

Built Build(const char* architecture, PaddingStyle padding, int64_t image_size,
            bool small_stem = false, int64_t channels = 64) {
  Graph graph;
  Variables variables(graph);
  const Value images =
      graph.Parameter("images", {DType::kF32, {2, image_size, image_size, 3}});
  Built built;
  {
    Scope scope(graph, "resnet");
    built.output =
        ResNet(variables, images,
               {.architecture = FindArchitecture(architecture).value(),
                .channels = channels,
                .stem = FindStem(small_stem ? "SMALL" : "IMAGENET").value(),
                .padding = padding},
               {})
            .only()
            .dims();
  }
  for (const Variable& variable : variables.all()) {
    built.paths.insert(variable.path);
    if (variable.role == Role::kParameter) {
      built.parameters += variable.shape.elements();
    }
  }
  built.status = graph.status();
  return built;
}

// torchvision's counts without the final layer.
TEST(ResNetTest, ParameterCountsAreTorchvisions) {
  struct Case {
    const char* architecture;
    int64_t parameters;
    int64_t features;
  };
  for (const Case& c : {Case{"resnet18", 11176512, 512},
                        {"resnet34", 21284672, 512},
                        {"resnet50", 23508032, 2048},
                        {"resnet101", 42500160, 2048},
                        {"resnet152", 58143808, 2048}}) {
    const Built built = Build(c.architecture, PaddingStyle::kTorch, 64);
    EXPECT_TRUE(built.status.ok()) << built.status;
    EXPECT_EQ(built.parameters, c.parameters) << c.architecture;
    EXPECT_EQ(built.output, (Dims{2, c.features})) << c.architecture;
  }
}

// Bottlenecks change the channels in the first stage anyway; basic blocks do
// not, and there the reference has a shortcut that torchvision lacks.
TEST(ResNetTest, ReferenceProjectsInEveryStage) {
  const Built same18 = Build("resnet18", PaddingStyle::kSame, 64);
  EXPECT_EQ(same18.parameters, 11176512 + 64 * 64 + 2 * 64);
  EXPECT_EQ(same18.paths.count("resnet/stage0/block0/shortcut/conv/w"), 1u);
  EXPECT_EQ(Build("resnet50", PaddingStyle::kSame, 64).parameters, 23508032);
}

TEST(ResNetTest, NamesAndOtherSizes) {
  const Built built = Build("resnet50", PaddingStyle::kSame, 33);
  for (const char* path :
       {"resnet/stem/conv/w", "resnet/stem/norm/scale",
        "resnet/stage2/block5/conv2/w", "resnet/stage3/block2/norm3/offset",
        "batch_stats/resnet/stage1/block0/shortcut/norm/mean"}) {
    EXPECT_EQ(built.paths.count(path), 1u) << path;
  }
  EXPECT_TRUE(Build("tiny", PaddingStyle::kSame, 28, /*small_stem=*/true, 16)
                  .status.ok());
  EXPECT_EQ(Build("tiny", PaddingStyle::kTorch, 28, true, 16).output,
            (Dims{2, 128}));
  EXPECT_TRUE(Build("resnet200", PaddingStyle::kSame, 32).status.ok());
}

TEST(ResNetTest, UnknownArchitecturesNameTheNearest) {
  EXPECT_EQ(FindArchitecture("resnet55").status().message(),
            "there is no architecture 'resnet55'; did you mean 'resnet50'?");
}

TEST(VariablesTest, AskingWithAnotherShapeIsAnError) {
  Graph graph;
  Variables variables(graph);
  Scope scope(graph, "layer");
  variables.Parameter("w", {2, 3}, Initializer::Constant(0));
  variables.Parameter("w", {3, 2}, Initializer::Constant(0));
  EXPECT_THAT(std::string(graph.status().message()),
              HasSubstr("'layer/w' is f32[2,3], and here f32[3,2] is asked"));
}

}  // namespace
}  // namespace xla_byol::nn
