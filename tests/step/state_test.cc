#include "xla_byol/step/state.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

using ::testing::Contains;

std::vector<StateTensor> LayoutOf(const std::vector<std::string>& set) {
  return StateLayout(LoadConfig("", "", set, 1).value()).value();
}

int64_t Elements(const std::vector<StateTensor>& layout, TensorRole role) {
  int64_t elements = 0;
  for (const StateTensor& tensor : layout) {
    if (tensor.role == role) elements += tensor.shape.elements();
  }
  return elements;
}

std::vector<std::string> Paths(const std::vector<StateTensor>& layout) {
  std::vector<std::string> paths;
  for (const StateTensor& tensor : layout) paths.push_back(tensor.path);
  return paths;
}

// ResNet-50 23,508,032; projector 2048*4096 + 4096 + 2*4096 + 4096*256; probe
// 2048*1000 + 1000; 53 + 1 norms with 26,560 + 4096 channels.
TEST(StateTest, SizesOfTheReferenceNetworks) {
  const std::vector<StateTensor> layout = LayoutOf({});
  constexpr int64_t kNetwork = 23508032 + 2048 * 4096 + 3 * 4096 + 4096 * 256;
  constexpr int64_t kProbe = 2048 * 1000 + 1000;
  EXPECT_EQ(Elements(layout, TensorRole::kOnline), kNetwork + kProbe);
  EXPECT_EQ(Elements(layout, TensorRole::kMomentum), kNetwork + kProbe);
  EXPECT_EQ(Elements(layout, TensorRole::kTarget), kNetwork);
  EXPECT_EQ(Elements(layout, TensorRole::kBatchStats), 2 * 2 * (26560 + 4096));
  EXPECT_EQ(Elements(layout, TensorRole::kPredictor), 256 * 256);
}

TEST(StateTest, PredictorsAndTargetsDecideWhatIsThere) {
  EXPECT_THAT(Paths(LayoutOf({"predictor.kind=linear"})),
              Contains("online/predictor/dense/w"));
  const std::vector<std::string> mlp =
      Paths(LayoutOf({"predictor.kind=mlp", "target.kind=none"}));
  EXPECT_THAT(mlp, Contains("online/predictor/dense1/b"));
  EXPECT_THAT(mlp, Contains("momentum/predictor/norm/scale"));
  EXPECT_THAT(mlp, Contains("batch_stats/online/predictor/norm/var"));
  for (const std::string& path : mlp) {
    EXPECT_FALSE(absl::StartsWith(path, "target/")) << path;
    EXPECT_NE(path, "predictor/P");
  }
  for (const std::string& path : Paths(LayoutOf({"data.classes=0"}))) {
    EXPECT_FALSE(absl::StrContains(path, "probe")) << path;
  }
}

TEST(StateTest, TargetsStartApartOrAsCopies) {
  const auto first_conv = [](const std::vector<StateTensor>& layout,
                             const char* network) {
    for (const StateTensor& tensor : layout) {
      if (tensor.path != std::string(network) + "/resnet/stem/conv/w") continue;
      std::vector<float> values(static_cast<size_t>(tensor.shape.elements()));
      InitializeState(tensor, /*seed=*/5, absl::MakeSpan(values));
      return values;
    }
    return std::vector<float>();
  };
  const std::vector<StateTensor> apart = LayoutOf({});
  EXPECT_NE(first_conv(apart, "online"), first_conv(apart, "target"));
  const std::vector<StateTensor> copies = LayoutOf({"target.copy_online=true"});
  EXPECT_EQ(first_conv(copies, "online"), first_conv(copies, "target"));
  EXPECT_EQ(first_conv(copies, "online"), first_conv(apart, "online"));
}

TEST(StateTest, ZeroInitializedResidualsAreAnOption) {
  const auto last_scale = [](const std::vector<std::string>& set) {
    for (const StateTensor& tensor : LayoutOf(set)) {
      if (tensor.path == "online/resnet/stage0/block0/norm3/scale") {
        return tensor.initializer;
      }
    }
    return nn::Initializer::Identity();
  };
  EXPECT_EQ(last_scale({}), nn::Initializer::Constant(1));
  EXPECT_EQ(last_scale({"model.zero_init_residual=true"}),
            nn::Initializer::Constant(0));
}

}  // namespace
}  // namespace xla_byol
