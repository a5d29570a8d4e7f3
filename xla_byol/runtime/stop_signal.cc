#include "xla_byol/runtime/stop_signal.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "xla_byol/cli/command_line.h"

namespace xla_byol {
namespace {

std::atomic<bool> holding{false};
std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

template <size_t kSize>
void Say(const char (&text)[kSize]) {
  // Nothing can be done about a failure here.
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text, kSize - 1);
}

void OnSignal(int) {
  if (!holding || requested.exchange(true)) {
    Say("\nstopped at once; the same command goes on from the last "
        "checkpoint\n");
    _exit(kExitResumable);
  }
  Say("\nstopping after this step; once more to stop at once\n");
}

}  // namespace

void CatchStopSignals() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A file-size limit is an error of write(2), not the end of a run.
  signal(SIGXFSZ, SIG_IGN);
}

HoldStopSignals::HoldStopSignals() { holding = true; }

HoldStopSignals::~HoldStopSignals() { holding = false; }

bool StopRequested() { return requested; }

absl::Status CheckNotStopped() {
  return requested ? absl::CancelledError("stopped; the same command goes on")
                   : absl::OkStatus();
}

}  // namespace xla_byol
