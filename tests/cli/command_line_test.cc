#include "xla_byol/cli/command_line.h"

#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

// Flags count as the project's own by their file, xla_byol/..., which a test is
// not; so these are found by name but not listed.
ABSL_FLAG(int, devices, 1, "How many.");
ABSL_FLAG(bool, synthetic, false, "Random images.");
ABSL_FLAG(std::string, run_dir, "", "Where.");

namespace xla_byol {
namespace {

using ::testing::ElementsAre;

std::string ErrorOf(const std::vector<std::string>& arguments) {
  return std::string(ParseArguments(arguments).status().message());
}

TEST(CommandLineTest, SetsFlagsInEveryForm) {
  ASSERT_TRUE(
      ParseArguments({"--devices=4", "--run_dir", "a b", "--synthetic"}).ok());
  EXPECT_EQ(absl::GetFlag(FLAGS_devices), 4);
  EXPECT_EQ(absl::GetFlag(FLAGS_run_dir), "a b");
  EXPECT_TRUE(absl::GetFlag(FLAGS_synthetic));
  ASSERT_TRUE(ParseArguments({"-devices", "2", "--nosynthetic"}).ok());
  EXPECT_EQ(absl::GetFlag(FLAGS_devices), 2);
  EXPECT_FALSE(absl::GetFlag(FLAGS_synthetic));
}

TEST(CommandLineTest, KeepsEverySetInOrder) {
  const CommandLine line =
      ParseArguments({"--set=a=1", "--set", "b=2", "--help"}).value();
  EXPECT_THAT(line.assignments, ElementsAre("a=1", "b=2"));
  EXPECT_TRUE(line.help);
}

TEST(CommandLineTest, HelpHasUsageExampleAndCommonFlagsWithinTheLine) {
  const std::string text = HelpText(
      "bazel-bin/xla_byol/tell",
      {"Tells in more words than fit into one line of eighty characters, which "
       "is what terminals have.",
       "--run_dir=runs/mine"});
  EXPECT_THAT(
      text, ::testing::StartsWith("Usage: tools/bazel run //xla_byol:tell -- "
                                  "[--flag=value ...]\n\nTells in more words"));
  EXPECT_THAT(text, ::testing::HasSubstr(
                        "\nExample:\n  tools/bazel run //xla_byol:tell -- "
                        "--run_dir=runs/mine\n"));
  // Flags are those of programs; --set is of no use without a config.
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("--set")));
  EXPECT_THAT(HelpText("tell", {"Tells.", "--set=evaluation.neighbours=9"}),
              ::testing::HasSubstr("\n  --set\n"));
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    EXPECT_LE(line.size(), 80u) << line;
  }
  EXPECT_THAT(HelpText("tell", "Tells."),
              ::testing::Not(::testing::HasSubstr("Example")));
}

TEST(CommandLineTest, ErrorsNameThePageThatExplainsThem) {
  EXPECT_EQ(
      PageFor("config: schedule.batch_size is 7: it must be divisible by 2"),
      "docs/configuration.md");
  EXPECT_EQ(PageFor("data set \"nothing\" is not in /data"), "docs/data.md");
  EXPECT_EQ(PageFor("cannot read 'x'"), "");
}

TEST(CommandLineTest, VersionIsAFlagOfEveryProgram) {
  EXPECT_TRUE(ParseArguments({"--version"}).value().version);
  EXPECT_FALSE(ParseArguments({"--help"}).value().version);
}

TEST(CommandLineTest, ErrorsAreOneSentence) {
  EXPECT_EQ(ErrorOf({"--sett=a=1"}),
            "there is no flag --sett; did you mean --set? (--help lists them)");
  EXPECT_EQ(ErrorOf({"train"}),
            "'train' is not a flag; flags are --name=value (--help lists "
            "them)");
  EXPECT_EQ(ErrorOf({"--devices"}), "--devices needs a value: --devices=...");
  EXPECT_EQ(ErrorOf({"--devices=many"}),
            "--devices: 'many' is not a valid value");
  EXPECT_EQ(ErrorOf({"--nodevices"}),
            "there is no flag --nodevices; did you mean --help? (--help lists "
            "them)");
}

TEST(CommandLineTest, ExitCodesFollowTheStatus) {
  EXPECT_EQ(ExitCode(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCode(absl::InvalidArgumentError("x")), 2);
  EXPECT_EQ(ExitCode(absl::CancelledError("x")), 75);
  EXPECT_EQ(ExitCode(absl::NotFoundError("x")), 1);
}

TEST(CommandLineTest, RunMainPrintsTheErrorAndReturnsItsCode) {
  std::string program = "program", bad = "--unknown", devices = "--devices=3";
  char* wrong[] = {program.data(), bad.data()};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(RunMain(2, wrong, "",
                    [](const CommandLine&) {
                      ADD_FAILURE() << "must not run";
                      return absl::OkStatus();
                    }),
            2);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::StartsWith("error: there is no flag --unknown"));
  char* right[] = {program.data(), devices.data()};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(RunMain(2, right, "",
                    [](const CommandLine&) {
                      return absl::InternalError("it broke");
                    }),
            1);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "error: it broke\n");
}

}  // namespace
}  // namespace xla_byol
