#include "xla_byol/base/progress.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "xla_byol/base/log.h"

namespace xla_byol {
namespace {

constexpr absl::Duration kLiveInterval = absl::Milliseconds(100);
constexpr absl::Duration kPlainInterval = absl::Seconds(30);

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

Phase::Phase(std::string what) : what_(std::move(what)), start_(absl::Now()) {
  shower_ = std::thread([this] {
    const absl::Duration interval =
        HasLiveLine() ? kLiveInterval : kPlainInterval;
    while (!finished_.WaitForNotificationWithTimeout(interval)) Show();
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
  const int64_t total = total_;
  std::string line =
      absl::StrCat(what_, " ... ", DurationText(absl::Now() - start_));
  if (total > 0) {
    absl::StrAppendFormat(&line, ", %d%%", 100 * done_ / total);
  }
  if (HasLiveLine()) {
    ShowLiveLine(line);
  } else {
    LogInfo(line);
  }
}

}  // namespace xla_byol
