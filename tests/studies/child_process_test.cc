#include "xla_byol/studies/child_process.h"

#include <csignal>
#include <optional>
#include <string>

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "xla_byol/base/files.h"

namespace xla_byol {
namespace {

int CodeOf(ChildProcess& child) {
  for (int i = 0; i < 600; ++i) {
    if (const std::optional<int> code = child.Poll()) return *code;
    absl::SleepFor(absl::Milliseconds(50));
  }
  return -1;
}

TEST(ChildProcessTest, TellsExitCodesAndKeepsTheOutput) {
  const std::string log = JoinPath(TempFolder(), "log");
  auto child = ChildProcess::Start(
      {"/bin/sh", "-c", "echo out; echo err >&2; exit 7"}, log);
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_EQ(CodeOf(*child), 7);
  EXPECT_EQ(ReadFile(log).value(), "out\nerr\n");
  EXPECT_EQ(child->Poll(), std::nullopt) << "it ends once";
}

TEST(ChildProcessTest, SignalsReachIt) {
  const std::string log = JoinPath(TempFolder(), "log");
  auto child = ChildProcess::Start({"/bin/sleep", "100"}, log);
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_EQ(child->Poll(), std::nullopt);
  child->Signal(SIGTERM);
  EXPECT_EQ(CodeOf(*child), 128 + SIGTERM);
}

TEST(ChildProcessTest, AProgramThatIsNotThereIsCode127) {
  const std::string log = JoinPath(TempFolder(), "log");
  auto child = ChildProcess::Start({"/nowhere/program"}, log);
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_EQ(CodeOf(*child), 127);
}

TEST(ChildProcessTest, OutputOfIsStdout) {
  EXPECT_EQ(OutputOf({"/bin/sh", "-c", "echo here"}).value(), "here\n");
  EXPECT_TRUE(absl::IsFailedPrecondition(
      OutputOf({"/bin/sh", "-c", "exit 3"}).status()));
}

}  // namespace
}  // namespace xla_byol
