#include "xla_byol/studies/study_status.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/progress.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/metrics/metrics_record.h"

namespace xla_byol {
namespace {

constexpr absl::Duration kLiveInterval = absl::Seconds(1);
constexpr absl::Duration kLineInterval = absl::Minutes(2);

struct TerminalSize {
  size_t rows = 24;
  size_t columns = 80;
};

TerminalSize SizeOfTerminal() {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_row, size.ws_col};
}

// The first characters that fit into a line; a character may have many bytes.
absl::string_view Cut(absl::string_view line, size_t columns) {
  size_t width = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if ((line[i] & 0xc0) == 0x80) continue;
    if (width++ == columns) return line.substr(0, i);
  }
  return line;
}

}  // namespace

RunProgress ReadProgress(absl::string_view study_dir, const StudyRun& run) {
  RunProgress progress;
  progress.name = run.name;
  progress.total_steps = TotalSteps(run.config);
  const absl::StatusOr<std::string> text =
      ReadFile(MetricsPath(RunDirectoryOf(study_dir, run)));
  if (!text.ok()) return progress;
  // The last whole line of training.
  std::vector<absl::string_view> lines = absl::StrSplit(*text, '\n');
  lines.pop_back();
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const absl::StatusOr<MetricsRecord> record = ParseMetricsRecord(*line);
    if (!record.ok() || record->kind != "train") continue;
    progress.step = record->step;
    progress.loss = record->Value("loss");
    progress.images_per_s = record->Value("images_per_s");
    break;
  }
  return progress;
}

double SecondsPerRun(const Study& study,
                     absl::Span<const StudyResult> results) {
  double sum = 0;
  int count = 0;
  for (const StudyResult& result : results) {
    const double seconds = result.Measure("seconds");
    if (!std::isfinite(seconds)) continue;
    sum += seconds;
    ++count;
  }
  return count > 0 ? sum / count : 60 * study.minutes();
}

std::string StatusLine(const StudyStatus& status) {
  std::string text =
      absl::StrFormat("%s: %d of %d runs complete, %d running", status.study,
                      status.complete, status.planned, status.running.size());
  if (status.failed > 0) absl::StrAppend(&text, ", ", status.failed, " failed");
  double left = status.planned - status.complete - status.failed;
  for (const RunProgress& run : status.running) {
    if (run.total_steps > 0) {
      left -=
          static_cast<double>(run.step) / static_cast<double>(run.total_steps);
    }
  }
  if (status.seconds_per_run > 0 && left > 0) {
    // The last runs have no others beside them.
    const double seconds =
        left * status.seconds_per_run / std::max(1, status.jobs);
    absl::StrAppend(&text, "; about ", DurationText(absl::Seconds(seconds)),
                    " left");
  }
  return text;
}

std::string StatusText(const StudyStatus& status) {
  std::string text = absl::StrCat(StatusLine(status), "\n");
  for (const RunProgress& run : status.running) {
    if (run.step == 0) {
      absl::StrAppendFormat(&text, "  %-40s starting\n", run.name);
      continue;
    }
    absl::StrAppendFormat(
        &text, "  %-40s step %d/%d | loss %.4f | %.0f img/s\n", run.name,
        run.step, run.total_steps, run.loss, run.images_per_s);
  }
  return text;
}

void StudyConsole::Clear() {
  // Up to the first of our lines, and everything below it away.
  if (lines_ > 0) absl::FPrintF(stderr, "\x1b[%dA\x1b[J", lines_);
  lines_ = 0;
}

void StudyConsole::Update(const StudyStatus& status, const std::string& table,
                          absl::Time now) {
  if (now < next_) return;
  if (!HasLiveLine()) {
    next_ = now + kLineInterval;
    LogInfo(StatusLine(status));
    return;
  }
  next_ = now + kLiveInterval;
  const TerminalSize size = SizeOfTerminal();
  Clear();
  std::string shown;
  for (const absl::string_view line :
       absl::StrSplit(absl::StrCat(StatusText(status), table), '\n')) {
    if (static_cast<size_t>(lines_) + 2 > size.rows) break;
    absl::StrAppend(&shown, Cut(line, size.columns), "\n");
    ++lines_;
  }
  absl::FPrintF(stderr, "%s", shown);
  std::fflush(stderr);
}

}  // namespace xla_byol
