#include "xla_byol/training/loop_rules.h"

#include <cmath>

#include "xla_byol/config/schedules.h"

namespace xla_byol {

bool CheckpointDue(const Recording& recording, const CheckpointMoment& moment) {
  const int64_t finished = moment.finished;
  if (finished == moment.last_saved) return false;
  if (recording.keep_every() > 0 && finished % recording.keep_every() == 0) {
    return true;
  }
  if (moment.writer_busy) return false;
  const int64_t steps = recording.checkpoint_steps();
  if (steps > 0 && finished / steps != moment.last_saved / steps) return true;
  return recording.checkpoint_minutes() > 0 &&
         moment.since_save > absl::Minutes(recording.checkpoint_minutes());
}

bool EvaluationDue(const Config& config, int64_t finished, int64_t evaluated) {
  const double interval = config.evaluation().interval_epochs();
  if (interval <= 0 || finished == 0 || finished == evaluated) return false;
  const auto intervals = [&](int64_t steps) {
    return std::floor(EpochsAfter(config, steps) / interval);
  };
  return intervals(finished) != intervals(finished - 1);
}

bool DiagnosticsDue(const Recording& recording, int64_t step) {
  const int interval = recording.diagnostics_interval();
  return interval > 0 && step % interval == 0;
}

bool MetricsDue(const Recording& recording, int64_t finished,
                int64_t total_steps) {
  return finished % recording.metrics_interval() == 0 ||
         finished == total_steps;
}

bool StopsBefore(int64_t step, int processes, bool requested,
                 const StopVote& vote) {
  return processes == 1 ? requested : vote.EndsBefore(step);
}

}  // namespace xla_byol
