#include "xla_byol/base/progress.h"

#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/terminal.h"
#include "xla_byol/base/log.h"

namespace xla_byol {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(ProgressTest, DurationsHaveThreeForms) {
  const struct {
    double seconds;
    const char* text;
  } rows[] = {{0, "0.0 s"},      {12.34, "12.3 s"}, {59.94, "59.9 s"},
              {59.96, "1m00s"},  {245, "4m05s"},    {3599.4, "59m59s"},
              {3599.6, "1h00m"}, {11220, "3h07m"},  {360000, "100h00m"}};
  for (const auto& row : rows) {
    EXPECT_EQ(DurationText(absl::Seconds(row.seconds)), row.text);
  }
}

TEST(PhaseTest, IsOneLineAtItsEnd) {
  ::testing::internal::CaptureStderr();
  {
    Phase phase("reading");
    phase.SetProgress(1, 2);
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              MatchesRegex("reading: [0-9.]+ s\n"));
  ::testing::internal::CaptureStderr();
  {
    Phase phase("compiling");
    phase.SetNote("from the cache");
    absl::SleepFor(absl::Milliseconds(20));
    EXPECT_GE(phase.seconds(), 0.02);
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              MatchesRegex("compiling: [0-9.]+ s, from the cache\n"));
}

TEST(ProgressTest, ABarWhereTheEndIsKnown) {
  EXPECT_EQ(ProgressText("reading", absl::Seconds(9), 30, 120),
            "reading [#####---------------] 25%, ETA 27.0 s");
  EXPECT_EQ(ProgressText("reading", absl::Seconds(9), 0, 120),
            "reading [--------------------] 0%");
  EXPECT_EQ(ProgressText("reading", absl::Seconds(9), 120, 120),
            "reading [####################] 100%, ETA 0.0 s");
  EXPECT_EQ(ProgressText("compiling", absl::Seconds(9), 0, 0),
            "compiling ... 9.0 s");
  EXPECT_EQ(ProgressBar(3, 2, 4), "[####]");  // more than was announced
}

// What ends at once shows no live line.
TEST(PhaseTest, AShortPhaseDoesNotFlicker) {
  const std::string seen = SeenOnTerminal(80, [] {
    Phase phase("reading", absl::Minutes(1));
    absl::SleepFor(absl::Milliseconds(200));
  });
  EXPECT_THAT(seen, MatchesRegex("reading: [0-9.]+ s\r\n"));
}

TEST(PhaseTest, ShowsItsProgressOnATerminal) {
  const std::string seen = SeenOnTerminal(80, [] {
    Phase phase("reading", absl::Milliseconds(50));
    phase.SetProgress(45, 100);
    absl::SleepFor(absl::Milliseconds(350));
  });
  EXPECT_THAT(seen, HasSubstr("reading [#########-----------] 45%, ETA 0."));
  // The live line is gone before the last one.
  EXPECT_THAT(seen, MatchesRegex(".*\r\x1b\\[Kreading: [0-9.]+ s\r\n"));
}

TEST(LiveLineTest, MessagesAppearAboveAndNothingWraps) {
  EXPECT_EQ(SeenOnTerminal(10,
                           [] {
                             ShowLiveLine("step 1 of 10");
                             LogInfo("saved");
                             ShowLiveLine("");
                             ShowLiveLine("");
                           }),
            "\r\x1b[Kstep 1 of"
            "\r\x1b[Ksaved\r\nstep 1 of"
            "\r\x1b[K");
}

TEST(LiveLineTest, LeavesOutPartsForWhichThereIsNoRoom) {
  EXPECT_EQ(SeenOnTerminal(20,
                           [] {
                             ShowLiveLine("step 1 | loss 0.25 | rank 3");
                             ShowLiveLine("step 1 | loss 0.250");
                             ShowLiveLine("step 1 | loss 0.2500");
                           }),
            "\r\x1b[Kstep 1 | loss 0.25"
            "\r\x1b[Kstep 1 | loss 0.250"
            "\r\x1b[Kstep 1");
}

}  // namespace
}  // namespace xla_byol
