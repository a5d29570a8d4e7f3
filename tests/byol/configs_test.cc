// Every file in configs/ is a config that can run.

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "xla_byol/base/files.h"
#include "xla_byol/byol/config.h"
#include "xla_byol/byol/train_step.h"

namespace xla_byol {
namespace {

TEST(ConfigsTest, EveryFileValidatesAndBuilds) {
  int files = 0;
  const std::vector<std::string> names = ListDirectory("configs").value();
  for (const std::string& name : names) {
    if (!absl::EndsWith(name, ".textproto")) continue;
    ++files;
    const std::string path = JoinPath("configs", name);
    const auto config =
        LoadConfig(ReadFile(path).value(), path, {}, /*devices=*/128);
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_EQ(config->name(), absl::StripSuffix(name, ".textproto"));
    const auto step = BuildTrainStep(
        *config, {.replicas = 128, .target = graph::Target::kTpu});
    EXPECT_TRUE(step.ok()) << path << ": " << step.status();
  }
  EXPECT_GE(files, 6);
}

}  // namespace
}  // namespace xla_byol
