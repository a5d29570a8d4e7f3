#include "xla_byol/checkpoint/weights.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "tests/testing/small_config.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/checkpoint/checkpoint.h"
#include "xla_byol/checkpoint/safetensors.h"
#include "xla_byol/config/config.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

using ::testing::HasSubstr;

Config TorchConfig() { return SmallConfig({"model.padding=TORCH"}); }

// Every element of a state has a value of its own.
std::vector<std::vector<float>> CountingState(
    const std::vector<StateTensor>& layout) {
  std::vector<std::vector<float>> values;
  float next = 0;
  for (const StateTensor& tensor : layout) {
    auto& all =
        values.emplace_back(static_cast<size_t>(tensor.shape.elements()));
    for (float& value : all) value = next++;
  }
  return values;
}

TEST(WeightsTest, OnlyTheEncoderLeaves) {
  const Config config = TorchConfig();
  const auto layout = StateLayout(config).value();
  const auto values = CountingState(layout);
  const auto ours = ParseSafetensors(
      EncoderWeights(config, layout, values, 7, WeightsFormat::kOurs).value(),
      "ours");
  const auto theirs = ParseSafetensors(
      EncoderWeights(config, layout, values, 7, WeightsFormat::kTorchvision)
          .value(),
      "theirs");
  ASSERT_TRUE(ours.ok() && theirs.ok());
  size_t norms = 0;
  for (const TensorView& tensor : ours->tensors()) {
    EXPECT_EQ(tensor.name.rfind("resnet/", 0), 0u) << tensor.name;
    norms += tensor.name.find("/var") != std::string::npos;
  }
  // torchvision's has a count for each norm.
  EXPECT_EQ(theirs->tensors().size(), ours->tensors().size() + norms);
  const TensorView* count = theirs->Find("bn1.num_batches_tracked");
  ASSERT_NE(count, nullptr);
  EXPECT_EQ(count->dtype, "I64");
  EXPECT_EQ(count->data[0], std::byte{14});

  // conv1.weight[o][i][y][x] is w[y][x][i][o].
  const auto hwio = FloatsOf(*ours->Find("resnet/stem/conv/w")).value();
  const auto oihw = FloatsOf(*theirs->Find("conv1.weight")).value();
  EXPECT_EQ(theirs->Find("conv1.weight")->dims,
            (std::vector<int64_t>{4, 3, 3, 3}));
  for (size_t o = 0; o < 4; ++o) {
    for (size_t i = 0; i < 3; ++i) {
      for (size_t y = 0; y < 3; ++y) {
        for (size_t x = 0; x < 3; ++x) {
          EXPECT_EQ(oihw[((o * 3 + i) * 3 + y) * 3 + x],
                    hwio[((y * 3 + x) * 3 + i) * 4 + o]);
        }
      }
    }
  }
  EXPECT_THAT(theirs->metadata(),
              ::testing::Contains(std::pair<std::string, std::string>(
                  "stddev", "0.229,0.224,0.225")));
}

TEST(WeightsTest, ARunWithoutItsCheckpointIsOneSentence) {
  const std::string run = TempFolder();
  const std::string out = JoinPath(run, "out.safetensors");
  const auto exported = [&] {
    return std::string(ExportWeights(run, WeightsFormat::kOurs, out).message());
  };
  EXPECT_THAT(exported(), HasSubstr("config.textproto"));
  ASSERT_TRUE(WriteFileAtomically(JoinPath(run, kConfigFile),
                                  FormatConfig(TorchConfig()))
                  .ok());
  EXPECT_THAT(exported(), HasSubstr("there are no checkpoints"));
  // Another config's: the encoder is the same, the latents are not.
  Config other = TorchConfig();
  other.mutable_model()->set_projector_output_size(9);
  const auto layout = StateLayout(other).value();
  const std::string folder = JoinPath(run, kCheckpointsFolder);
  ASSERT_TRUE(MakeDirectories(folder).ok());
  ASSERT_TRUE(WriteCheckpoint(JoinPath(folder, "step-00000003"), 3, layout,
                              CountingState(layout))
                  .ok());
  EXPECT_THAT(exported(), HasSubstr("belongs to another config"));
  EXPECT_FALSE(FileExists(out));
}

TEST(WeightsTest, ADamagedCheckpointDoesNotLeave) {
  const std::string run = TempFolder();
  const Config config = TorchConfig();
  const auto layout = StateLayout(config).value();
  const std::string folder = JoinPath(run, kCheckpointsFolder);
  const std::string newest = JoinPath(folder, "step-00000004");
  ASSERT_TRUE(MakeDirectories(folder).ok());
  ASSERT_TRUE(
      WriteFileAtomically(JoinPath(run, kConfigFile), FormatConfig(config))
          .ok());
  ASSERT_TRUE(WriteCheckpoint(newest, 4, layout, CountingState(layout)).ok());
  const std::string state = JoinPath(newest, kStateFile);
  std::string bytes = ReadFile(state).value();
  bytes.back() ^= 1;
  ASSERT_TRUE(WriteFileAtomically(state, bytes).ok());
  const std::string out = JoinPath(run, "out.safetensors");
  EXPECT_THAT(
      std::string(ExportWeights(run, WeightsFormat::kOurs, out).message()),
      HasSubstr("is intact"));
  EXPECT_FALSE(FileExists(out));
  // An older one that is intact serves.
  ASSERT_TRUE(WriteCheckpoint(JoinPath(folder, "step-00000003"), 3, layout,
                              CountingState(layout))
                  .ok());
  EXPECT_TRUE(ExportWeights(run, WeightsFormat::kOurs, out).ok());
}

TEST(WeightsTest, AnUnknownFormatIsABadCall) {
  EXPECT_EQ(ParseWeightsFormat("torch").status().message(),
            "--format=torch: use ours or torchvision");
}

}  // namespace
}  // namespace xla_byol
