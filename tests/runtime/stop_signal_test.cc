// Real signals, each in a child process: they end it.

#include "xla_byol/runtime/stop_signal.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "gtest/gtest.h"

namespace xla_byol {
namespace {

using ::testing::ExitedWithCode;

// What scripts rely on: EX_TEMPFAIL, "start me again".
constexpr int kResumable = 75;

TEST(StopSignalTest, EndsAtOnceWhereNothingWouldBeLost) {
  for (const int signal_number : {SIGINT, SIGTERM}) {
    EXPECT_EXIT(
        {
          CatchStopSignals(kResumable);
          raise(signal_number);
          std::exit(0);
        },
        ExitedWithCode(kResumable), "stopped at once");
  }
}

TEST(StopSignalTest, TheFirstIsAWishAndTheSecondAnEnd) {
  EXPECT_EXIT(
      {
        CatchStopSignals(kResumable);
        const HoldStopSignals hold;
        if (StopRequested() || !CheckNotStopped().ok()) std::exit(1);
        raise(SIGTERM);
        if (!StopRequested() || !absl::IsCancelled(CheckNotStopped())) {
          std::exit(2);
        }
        raise(SIGINT);
        std::exit(3);
      },
      ExitedWithCode(kResumable),
      "stopping soon; once more.*\n.*\nstopped at once");
}

TEST(StopSignalTest, ASignalAfterTheHoldEndsAtOnce) {
  EXPECT_EXIT(
      {
        CatchStopSignals(kResumable);
        { const HoldStopSignals hold; }
        raise(SIGTERM);
        std::exit(1);
      },
      ExitedWithCode(kResumable), "stopped at once");
}

TEST(StopSignalTest, AFileSizeLimitIsNoEnd) {
  EXPECT_EXIT(
      {
        CatchStopSignals(kResumable);
        raise(SIGXFSZ);
        std::exit(0);
      },
      ExitedWithCode(0), "");
}

// As `kill` does: from another process, while the program works.
TEST(StopSignalTest, ReachesAProgramThatWorks) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    CatchStopSignals(kResumable);
    const HoldStopSignals hold;
    if (write(ready[1], "x", 1) != 1) _exit(1);
    while (!StopRequested()) usleep(1000);
    _exit(42);  // it may still save what it has
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  ASSERT_EQ(kill(child, SIGTERM), 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

}  // namespace
}  // namespace xla_byol
