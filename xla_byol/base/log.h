// Messages for the person who watches a run: one line each, on stderr and, once
// a run directory is known, in its log file.

#ifndef XLA_BYOL_BASE_LOG_H_
#define XLA_BYOL_BASE_LOG_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace xla_byol {

enum class LogLevel { kInfo, kWarning, kError };

// Any thread may log; lines never mix.
void Log(LogLevel level, absl::string_view message);

inline void LogInfo(absl::string_view message) {
  Log(LogLevel::kInfo, message);
}
inline void LogWarning(absl::string_view message) {
  Log(LogLevel::kWarning, message);
}
inline void LogError(absl::string_view message) {
  Log(LogLevel::kError, message);
}

// Whether stderr is a terminal that can show a line that changes.
bool HasLiveLine();

// Shows `text` as the last line of the terminal, in place of the one before;
// messages appear above it. If it is wider than the terminal, the last of the
// parts that " | " separates are left out. Does nothing if stderr is no
// terminal, and an empty text takes the line away.
void ShowLiveLine(absl::string_view text);

// From now on lines are appended to the file as well, with date and time. An
// empty path stops that.
absl::Status SetLogFile(const std::string& path);

}  // namespace xla_byol

#endif  // XLA_BYOL_BASE_LOG_H_
