#include "xla_byol/driver/console.h"

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
constexpr absl::Duration kPlainPhaseInterval = absl::Seconds(30);
constexpr absl::Duration kSlowestInterval = absl::Seconds(60);

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
        HasLiveLine() ? kLiveInterval : kPlainPhaseInterval;
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

std::string FormatStatus(const TrainingStatus& status) {
  std::string line = absl::StrFormat(
      "step %d/%d | ETA %s | epoch %.2f/%g | loss %.4f", status.step,
      status.total_steps, DurationText(status.left), status.epoch,
      status.epochs, status.loss);
  if (std::isfinite(status.probe_accuracy)) {
    absl::StrAppendFormat(&line, " | probe %.1f%%",
                          100 * status.probe_accuracy);
  }
  if (std::isfinite(status.stable_rank)) {
    absl::StrAppendFormat(&line, " | rank %.1f", status.stable_rank);
  }
  absl::StrAppendFormat(&line, " | %.*f img/s | data wait %.0f%%",
                        status.images_per_s < 100 ? 1 : 0, status.images_per_s,
                        100 * status.data_wait_share);
  return line;
}

void TrainingConsole::Update(const TrainingStatus& status) {
  const absl::Time now = absl::Now();
  if (now < next_) return;
  last_ = FormatStatus(status);
  if (HasLiveLine()) {
    next_ = now + kLiveInterval;
    ShowLiveLine(last_);
    return;
  }
  LogInfo(last_);
  next_ = now + interval_;
  interval_ = std::min(interval_ * 1.3, kSlowestInterval);
}

void TrainingConsole::Finish() {
  ShowLiveLine("");
  if (HasLiveLine() && !last_.empty()) LogInfo(last_);
}

}  // namespace xla_byol
