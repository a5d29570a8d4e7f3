#include "xla_byol/base/log.h"

#include <cerrno>
#include <cstdio>

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
};

// Never destroyed: threads may log while the program ends.
Sink& GetSink() {
  static Sink* sink = new Sink;
  return *sink;
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
  std::fwrite(line.data(), 1, line.size(), stderr);
  if (sink.file == nullptr) return;
  const std::string stamped =
      absl::StrCat(absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ ", absl::Now(),
                                    absl::UTCTimeZone()),
                   line);
  std::fwrite(stamped.data(), 1, stamped.size(), sink.file);
  std::fflush(sink.file);
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
