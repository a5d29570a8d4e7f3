#include "xla_byol/base/progress.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "xla_byol/base/log.h"

namespace xla_byol {
namespace {

constexpr absl::Duration kLiveInterval = absl::Milliseconds(100);
constexpr absl::Duration kPlainInterval = absl::Minutes(1);
constexpr int kBarWidth = 20;

}  // namespace

std::string DurationText(absl::Duration duration) {
  const double seconds = absl::ToDoubleSeconds(duration);
  if (seconds < 59.95) return absl::StrFormat("%.1f s", seconds);
  const int64_t whole = std::llround(seconds);
  if (whole < 3600) {
    return absl::StrFormat("%dm%02ds", whole / 60, whole % 60);
  }
  return absl::StrFormat("%dh%02dm", whole / 3600, whole % 3600 / 60);
}

std::string ProgressBar(int64_t done, int64_t total, int width) {
  const int64_t full =
      total > 0 ? std::clamp<int64_t>(width * done / total, 0, width) : 0;
  return absl::StrCat("[", std::string(static_cast<size_t>(full), '#'),
                      std::string(static_cast<size_t>(width - full), '-'), "]");
}

std::string ProgressText(const std::string& what, absl::Duration elapsed,
                         int64_t done, int64_t total) {
  if (total <= 0) return absl::StrCat(what, " ... ", DurationText(elapsed));
  std::string text =
      absl::StrFormat("%s %s %d%%", what, ProgressBar(done, total, kBarWidth),
                      100 * done / total);
  if (done > 0) {
    const double left =
        static_cast<double>(total - done) / static_cast<double>(done);
    absl::StrAppend(&text, ", ETA ", DurationText(elapsed * left));
  }
  return text;
}

Phase::Phase(std::string what, absl::Duration patience)
    : what_(std::move(what)), patience_(patience), start_(absl::Now()) {
  shower_ = std::thread([this] {
    const bool live = HasLiveLine();
    absl::Duration pause = live ? patience_ : kPlainInterval;
    while (!finished_.WaitForNotificationWithTimeout(pause)) {
      Show();
      if (live) pause = kLiveInterval;
    }
  });
}

Phase::~Phase() {
  finished_.Notify();
  shower_.join();
  ShowLiveLine("");
  LogInfo(absl::StrCat(what_, ": ", DurationText(absl::Now() - start_),
                       note_.empty() ? "" : absl::StrCat(", ", note_)));
}

void Phase::SetProgress(int64_t done, int64_t total) {
  done_ = done;
  total_ = total;
}

double Phase::seconds() const {
  return absl::ToDoubleSeconds(absl::Now() - start_);
}

void Phase::Show() {
  const std::string line =
      ProgressText(what_, absl::Now() - start_, done_, total_);
  if (HasLiveLine()) {
    ShowLiveLine(line);
  } else {
    LogInfo(line);
  }
}

}  // namespace xla_byol
