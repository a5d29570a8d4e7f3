#include "xla_byol/driver/compile_progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "xla_byol/base/log.h"

namespace xla_byol {

CompileProgress::CompileProgress(std::string what)
    : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) != 0) {
  thread_ = std::thread([this] { Watch(); });
}

CompileProgress::~CompileProgress() {
  {
    absl::MutexLock lock(&mutex_);
    done_ = true;
  }
  thread_.join();
  // Leaves a clean line to whatever comes next.
  if (terminal_) std::fputs("\r\033[K", stderr);
}

void CompileProgress::Watch() {
  const absl::Time start = absl::Now();
  const absl::Duration interval = absl::Seconds(terminal_ ? 1 : 30);
  absl::MutexLock lock(&mutex_);
  while (!mutex_.AwaitWithTimeout(absl::Condition(&done_), interval)) {
    const std::string line = absl::StrFormat(
        "%s, %.0f s", what_, absl::ToDoubleSeconds(absl::Now() - start));
    if (terminal_) {
      std::fprintf(stderr, "\r\033[K%s", line.c_str());
      std::fflush(stderr);
    } else {
      LogInfo(line);
    }
  }
}

}  // namespace xla_byol
