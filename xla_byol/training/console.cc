#include "xla_byol/training/console.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/progress.h"

namespace xla_byol {
namespace {

constexpr absl::Duration kLiveInterval = absl::Milliseconds(100);
constexpr absl::Duration kPlainInterval = absl::Minutes(1);
constexpr int kBarWidth = 10;

}  // namespace

std::string FormatStatus(const TrainingStatus& status) {
  // The most interesting first: a narrow terminal has no room for the rest.
  std::string line = absl::StrFormat("step %d/%d | ETA %s | loss %.4f",
                                     status.step, status.total_steps,
                                     DurationText(status.left), status.loss);
  if (std::isfinite(status.probe_accuracy)) {
    absl::StrAppendFormat(&line, " | probe %.1f%%",
                          100 * status.probe_accuracy);
  }
  absl::StrAppendFormat(&line, " | %.*f img/s | epoch %.2f/%g",
                        status.images_per_s < 100 ? 1 : 0, status.images_per_s,
                        status.epoch, status.epochs);
  if (std::isfinite(status.stable_rank)) {
    absl::StrAppendFormat(&line, " | rank %.1f", status.stable_rank);
  }
  absl::StrAppendFormat(&line, " | data wait %.0f%%",
                        100 * status.data_wait_share);
  return line;
}

void TrainingConsole::Update(const TrainingStatus& status, absl::Time now) {
  if (now < next_) return;
  updated_ = true;
  const std::string line = FormatStatus(status);
  if (HasLiveLine()) {
    next_ = now + kLiveInterval;
    ShowLiveLine(absl::StrCat(
        ProgressBar(status.step, status.total_steps, kBarWidth), " ", line));
    return;
  }
  LogInfo(line);
  next_ = now + kPlainInterval;
}

void TrainingConsole::Finish(const TrainingStatus& status) {
  ShowLiveLine("");
  if (HasLiveLine() && updated_) LogInfo(FormatStatus(status));
}

}  // namespace xla_byol
