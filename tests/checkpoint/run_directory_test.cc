#include "xla_byol/checkpoint/run_directory.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "tests/testing/small_config.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/run_files.h"

namespace xla_byol {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

class RunDirectoryTest : public ::testing::Test {
 protected:
  void TearDown() override { ASSERT_TRUE(SetLogFile("").ok()); }

  // As a run after its first checkpoint.
  void AddCheckpoint() const {
    ASSERT_TRUE(MakeDirectories(JoinPath(JoinPath(path_, kCheckpointsFolder),
                                         "step-00000001"))
                    .ok());
  }
  std::string Content(absl::string_view name) const {
    return ReadFile(JoinPath(path_, name)).value();
  }

  const std::string path_ = JoinPath(TempFolder(), "runs/new");
};

TEST_F(RunDirectoryTest, OnlyOneHasTheLock) {
  auto run = RunDirectory::Lock(path_);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->path(), path_);
  const std::string refused =
      absl::StrCat("run directory '", path_, "' is in use by process ",
                   getpid(), "; wait for it, or give another --run_dir");
  const absl::Status second = RunDirectory::Lock(path_).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(second));
  EXPECT_EQ(second.message(), refused);
  {
    const RunDirectory moved = *std::move(run);
    EXPECT_EQ(RunDirectory::Lock(path_).status().message(), refused);
  }
  EXPECT_TRUE(RunDirectory::Lock(path_).ok());
}

TEST_F(RunDirectoryTest, AProcessThatDiesLeavesTheLock) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto run = RunDirectory::Lock(path_);
    if (!run.ok() || write(ready[1], "x", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_THAT(std::string(RunDirectory::Lock(path_).status().message()),
              EndsWith(absl::StrCat("in use by process ", child,
                                    "; wait for it, or give another "
                                    "--run_dir")));
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(RunDirectory::Lock(path_).ok());
}

TEST_F(RunDirectoryTest, WhatIsSaidIsInTheLog) {
  const auto run = RunDirectory::Lock(path_);
  ASSERT_TRUE(run.ok());
  LogInfo("hello");
  EXPECT_THAT(Content(kLogFile), EndsWith(" hello\n"));
}

TEST_F(RunDirectoryTest, KeepsTheConfigOfANewRun) {
  const Config config = SmallConfig();
  EXPECT_EQ(ReadRunConfig(path_).status().message(),
            absl::StrCat("'", path_,
                         "' is no run directory: it has no config.textproto"));
  EXPECT_TRUE(absl::IsNotFound(ReadRunConfig(path_).status()));
  auto run = RunDirectory::Lock(path_);
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(run->TakeConfig(config, /*branch=*/false).ok());
  EXPECT_EQ(FormatConfig(*ReadRunConfig(path_)), FormatConfig(config));
  // Nothing depends on it before the first checkpoint.
  const Config other = SmallConfig({"seed=7"});
  ASSERT_TRUE(run->TakeConfig(other, /*branch=*/false).ok());
  EXPECT_EQ(Content(kConfigFile), FormatConfig(other));
}

TEST_F(RunDirectoryTest, AnUnchangedConfigIsNotWrittenAgain) {
  auto run = RunDirectory::Lock(path_);
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(run->TakeConfig(SmallConfig(), false).ok());
  AddCheckpoint();
  struct stat before, after;
  ASSERT_EQ(stat(run->PathOf(kConfigFile).c_str(), &before), 0);
  ASSERT_TRUE(run->TakeConfig(SmallConfig(), false).ok());
  ASSERT_EQ(stat(run->PathOf(kConfigFile).c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);  // a new file would have its own
}

TEST_F(RunDirectoryTest, EvaluationAndRecordingMayChange) {
  auto run = RunDirectory::Lock(path_);
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(run->TakeConfig(SmallConfig(), false).ok());
  AddCheckpoint();
  const Config changed =
      SmallConfig({"name=other", "evaluation.interval_epochs=7",
                   "recording.keep_checkpoints=9"});
  ASSERT_TRUE(run->TakeConfig(changed, false).ok());
  EXPECT_EQ(Content(kConfigFile), FormatConfig(changed));
}

TEST_F(RunDirectoryTest, RefusesAChangeThatTheWeightsDependOn) {
  auto run = RunDirectory::Lock(path_);
  ASSERT_TRUE(run.ok());
  const Config config = SmallConfig();
  ASSERT_TRUE(run->TakeConfig(config, false).ok());
  AddCheckpoint();
  const absl::Status status = run->TakeConfig(
      SmallConfig({"seed=7", "model.base_channels=8", "name=other"}), false);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(std::string(status.message()),
            absl::StrCat(
                "the config differs from that of the run in '", path_,
                "': seed: 0 -> 7, model.base_channels: 4 -> 8; give "
                "--branch to continue with the new one, or another --run_dir"));
  EXPECT_EQ(Content(kConfigFile), FormatConfig(config));
}

TEST_F(RunDirectoryTest, EachBranchKeepsTheConfigBefore) {
  auto run = RunDirectory::Lock(path_);
  ASSERT_TRUE(run.ok());
  const Config configs[] = {SmallConfig({"seed=1"}), SmallConfig({"seed=2"}),
                            SmallConfig({"seed=3"})};
  ASSERT_TRUE(run->TakeConfig(configs[0], false).ok());
  AddCheckpoint();
  ASSERT_TRUE(run->TakeConfig(configs[1], true).ok());
  ASSERT_TRUE(run->TakeConfig(configs[2], true).ok());
  EXPECT_EQ(Content("config-1.textproto"), FormatConfig(configs[0]));
  EXPECT_EQ(Content("config-2.textproto"), FormatConfig(configs[1]));
  EXPECT_EQ(Content(kConfigFile), FormatConfig(configs[2]));
}

TEST(TrainingChangesTest, ADefaultThatIsWrittenIsNoChange) {
  Config before, after;
  after.mutable_model()->set_width_multiplier(1);
  EXPECT_THAT(TrainingChanges(before, after), IsEmpty());
  after.mutable_model()->set_width_multiplier(2);
  after.mutable_recording()->set_keep_every(5);
  before.mutable_model()->set_width_multiplier(4);
  EXPECT_THAT(TrainingChanges(before, after),
              ElementsAre("model.width_multiplier: 4 -> 2"));
}

}  // namespace
}  // namespace xla_byol
