#include "xla_byol/base/log.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "xla_byol/base/files.h"

namespace xla_byol {
namespace {

struct Sink {
  absl::Mutex mutex;
  std::FILE* file ABSL_GUARDED_BY(mutex) = nullptr;
  std::string live ABSL_GUARDED_BY(mutex);  // as it stands on the terminal
};

// Never destroyed: threads may log while the program ends.
Sink& GetSink() {
  static Sink* sink = new Sink;
  return *sink;
}

// Back to the line's begin, and clear it.
constexpr char kEraseLine[] = "\r\x1b[K";

size_t TerminalWidth() {
  winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return 80;
  }
  return size.ws_col;
}

const char* Prefix(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return "";
    case LogLevel::kWarning:
      return "warning: ";
    case LogLevel::kError:
      return "error: ";
  }
  return "";
}

}  // namespace

void Log(LogLevel level, absl::string_view message) {
  const std::string line = absl::StrCat(Prefix(level), message, "\n");
  Sink& sink = GetSink();
  absl::MutexLock lock(&sink.mutex);
  const std::string shown =
      sink.live.empty() ? line : absl::StrCat(kEraseLine, line, sink.live);
  std::fwrite(shown.data(), 1, shown.size(), stderr);
  if (sink.file == nullptr) return;
  const std::string stamped =
      absl::StrCat(absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ ", absl::Now(),
                                    absl::UTCTimeZone()),
                   line);
  std::fwrite(stamped.data(), 1, stamped.size(), sink.file);
  std::fflush(sink.file);
}

bool HasLiveLine() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 &&
         (terminal == nullptr || absl::string_view(terminal) != "dumb");
}

void ShowLiveLine(absl::string_view text) {
  if (!HasLiveLine()) return;
  Sink& sink = GetSink();
  absl::MutexLock lock(&sink.mutex);
  if (sink.live.empty() && text.empty()) return;
  // A line as wide as the terminal would wrap on some.
  const size_t width = TerminalWidth() - 1;
  if (text.size() > width) {
    const size_t whole = text.rfind(" | ", width);
    text = text.substr(0, whole == text.npos ? width : whole);
  }
  sink.live = std::string(text);
  const std::string shown = absl::StrCat(kEraseLine, sink.live);
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

absl::Status SetLogFile(const std::string& path) {
  std::FILE* file = nullptr;
  if (!path.empty()) {
    file = std::fopen(path.c_str(), "ae");
    if (file == nullptr) {
      return ErrnoToStatus(errno, absl::StrCat("cannot open log '", path, "'"));
    }
  }
  Sink& sink = GetSink();
  absl::MutexLock lock(&sink.mutex);
  if (sink.file != nullptr) std::fclose(sink.file);
  sink.file = file;
  return absl::OkStatus();
}

}  // namespace xla_byol
