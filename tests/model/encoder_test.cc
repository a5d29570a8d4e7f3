#include "xla_byol/model/encoder.h"

#include <optional>
#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace xla_byol {
namespace {

TEST(EncoderTest, NamesAreTorchvisions) {
  const std::pair<const char*, const char*> names[] = {
      {"stem/conv/w", "conv1.weight"},
      {"stem/norm/scale", "bn1.weight"},
      {"stem/norm/offset", "bn1.bias"},
      {"stem/norm/mean", "bn1.running_mean"},
      {"stem/norm/var", "bn1.running_var"},
      {"stage0/block0/conv1/w", "layer1.0.conv1.weight"},
      {"stage3/block12/norm3/var", "layer4.12.bn3.running_var"},
      {"stage1/block0/shortcut/conv/w", "layer2.0.downsample.0.weight"},
      {"stage1/block0/shortcut/norm/scale", "layer2.0.downsample.1.weight"},
      {"stage1/block0/shortcut/norm/mean",
       "layer2.0.downsample.1.running_mean"},
      {"stem/conv/b", ""},
      {"head/w", ""},
      {"stageX/block0/conv1/w", ""}};
  for (const auto& [ours, theirs] : names) {
    EXPECT_EQ(TorchvisionName(ours), theirs) << ours;
  }
}

TEST(EncoderTest, KnowsItsTensorsByTheirPaths) {
  EXPECT_EQ(OnlineEncoderPath("online/resnet/stem/conv/w"), "stem/conv/w");
  EXPECT_EQ(OnlineEncoderPath("batch_stats/online/resnet/stem/norm/var"),
            "stem/norm/var");
  for (const char* other :
       {"target/resnet/stem/conv/w", "batch_stats/target/resnet/stem/norm/var",
        "momentum/resnet/stem/conv/w", "online/projector/dense1/w",
        "online/resnet", "online/resnet_head/w", "predictor/P", ""}) {
    EXPECT_EQ(OnlineEncoderPath(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace xla_byol
