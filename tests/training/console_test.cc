#include "xla_byol/training/console.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/terminal.h"

namespace xla_byol {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TrainingStatus Status() {
  return {.step = 120,
          .total_steps = 702,
          .epoch = 0.512,
          .epochs = 3,
          .loss = 1.23456,
          .probe_accuracy = 0.612,
          .stable_rank = 23.44,
          .images_per_s = 812.4,
          .data_wait_share = 0.012,
          .left = absl::Seconds(192)};
}

TEST(ConsoleTest, FormatsWhatIsKnown) {
  TrainingStatus status = Status();
  EXPECT_EQ(FormatStatus(status),
            "step 120/702 | ETA 3m12s | loss 1.2346 | probe 61.2% | 812 img/s "
            "| epoch 0.51/3 | rank 23.4 | data wait 1%");
  status.probe_accuracy = status.stable_rank = std::nan("");
  status.epochs = 0.5;
  status.images_per_s = 7.26;
  EXPECT_EQ(FormatStatus(status),
            "step 120/702 | ETA 3m12s | loss 1.2346 | 7.3 img/s | epoch "
            "0.51/0.5 | data wait 1%");
}

// One update a second for ten minutes into a file.
TEST(ConsoleTest, AFileHasOneLineAMinute) {
  TrainingConsole console;
  std::vector<int> said;
  for (int second = 0; second <= 600; ++second) {
    ::testing::internal::CaptureStderr();
    console.Update(Status(), absl::UnixEpoch() + absl::Seconds(second));
    if (!::testing::internal::GetCapturedStderr().empty()) {
      said.push_back(second);
    }
  }
  ASSERT_EQ(said.size(), 11u);
  for (size_t i = 0; i < said.size(); ++i) {
    EXPECT_EQ(said[i], 60 * static_cast<int>(i));
  }
}

TEST(ConsoleTest, EndsWithoutAWordInAFile) {
  TrainingConsole console;
  console.Update(Status(), absl::UnixEpoch());
  ::testing::internal::CaptureStderr();
  console.Finish(Status());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(ConsoleTest, ATerminalSeesTenLinesASecondAndKeepsTheLast) {
  const std::string seen = SeenOnTerminal(200, [] {
    TrainingConsole console;
    TrainingStatus status = Status();
    for (int i = 0; i < 250; ++i) {
      status.step = i;
      console.Update(status, absl::UnixEpoch() + absl::Milliseconds(i));
    }
    console.Finish(status);
  });
  EXPECT_THAT(seen, HasSubstr("[----------] step 0/702"));
  EXPECT_THAT(seen, HasSubstr("step 100/702"));
  EXPECT_THAT(seen, HasSubstr("[##--------] step 200/702"));
  EXPECT_THAT(seen, Not(HasSubstr("step 99/702")));
  EXPECT_EQ(std::count(seen.begin(), seen.end(), '\n'), 1);
  EXPECT_THAT(seen, HasSubstr("data wait 1%\r\n"));
  // The state when it ended, though no line was due for it.
  EXPECT_THAT(seen.substr(seen.rfind("step ")), HasSubstr("step 249/702"));
}

}  // namespace
}  // namespace xla_byol
