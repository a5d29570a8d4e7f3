#include "xla_byol/runtime/stop_signal.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace xla_byol {
namespace {

std::atomic<bool> holding{false};
std::atomic<bool> requested{false};
std::atomic<int> code_at_once{1};
static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

template <size_t kSize>
void Say(const char (&text)[kSize]) {
  // Nothing can be done about a failure here.
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text, kSize - 1);
}

void OnSignal(int) {
  if (!holding || requested.exchange(true)) {
    Say("\nstopped at once; run the same command to resume from the last "
        "checkpoint\n");
    _exit(code_at_once);
  }
  Say("\nstopping soon; once more to stop at once\n");
}

}  // namespace

void CatchStopSignals(int exit_code) {
  code_at_once = exit_code;
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
  return requested
             ? absl::CancelledError("stopped; run the same command to resume")
             : absl::OkStatus();
}

}  // namespace xla_byol
