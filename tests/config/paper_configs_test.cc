// Every file of configs/ is a valid config whose step can be built, which is
// what `export --platform=none` does: the paper's for a pod of 128 TPU cores,
// the small ones, whose batches are too small for that, for 8.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "xla_byol/base/files.h"
#include "xla_byol/settings/settings.h"
#include "xla_byol/step/train_step.h"

namespace xla_byol {
namespace {

constexpr int kPodDevices = 128;
constexpr int kFewDevices = 8;

std::vector<std::string> ConfigFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("configs")) {
    if (entry.path().extension() == ".textproto") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string Stem(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

class PaperConfigsTest : public testing::TestWithParam<std::string> {};

TEST_P(PaperConfigsTest, Builds) {
  const absl::StatusOr<std::string> text = ReadFile(GetParam());
  ASSERT_TRUE(text.ok()) << text.status();
  const bool paper = Stem(GetParam()).rfind("imagenet", 0) == 0;
  const int devices = paper ? kPodDevices : kFewDevices;
  const absl::StatusOr<Config> config =
      LoadConfig(*text, GetParam(), {}, devices);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->name(), Stem(GetParam()));
  const absl::StatusOr<NamedProgram> step = BuildTrainStep(
      *config, {.replicas = devices, .backend = graph::Backend::kTpu});
  ASSERT_TRUE(step.ok()) << step.status();
  EXPECT_GT(step->program.text.size(), 100000u);
}

INSTANTIATE_TEST_SUITE_P(All, PaperConfigsTest,
                         testing::ValuesIn(ConfigFiles()),
                         [](const auto& file) { return Stem(file.param); });

// The paper's predictors at both lengths of training, and its baseline.
TEST(PaperConfigsTest, AreAllThere) {
  const std::vector<std::string> files = ConfigFiles();
  for (const char* name : {"linear", "lrp", "ne", "visser", "ns", "ns2",
                           "stiefel", "directcopy", "directpred"}) {
    for (const char* epochs : {"100", "300"}) {
      const std::string file =
          std::string("configs/imagenet") + epochs + "_" + name + ".textproto";
      EXPECT_EQ(std::count(files.begin(), files.end(), file), 1) << file;
    }
  }
}

}  // namespace
}  // namespace xla_byol
