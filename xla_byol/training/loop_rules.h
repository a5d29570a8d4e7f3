// What is due when in a training run: plain functions of the config and of
// where the run is, so that each rule can be tried without a device.
//
// `finished` is the number of steps done; step n is the one after n others.

#ifndef XLA_BYOL_TRAINING_LOOP_RULES_H_
#define XLA_BYOL_TRAINING_LOOP_RULES_H_

#include <cstdint>

#include "absl/time/time.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/runtime/process_place.h"

namespace xla_byol {

struct CheckpointMoment {
  int64_t finished = 0;
  int64_t last_saved = 0;  // steps that the last checkpoint has
  absl::Duration since_save;
  bool writer_busy = false;  // the last one is still being written
};

// Every keep_every steps a checkpoint that stays for good, which is worth
// waiting for the writer; every checkpoint_steps or checkpoint_minutes one that
// waits until the writer is free.
bool CheckpointDue(const Recording& recording, const CheckpointMoment& moment);

// Each time another evaluation.interval_epochs are through, but not again for
// `evaluated`, the step of the last evaluation (-1: none): a run that was
// stopped after an evaluation does not repeat it, one that was stopped in its
// middle does.
bool EvaluationDue(const Config& config, int64_t finished, int64_t evaluated);

// Whether `step` is one with diagnostics: 0, diagnostics_interval, ...
bool DiagnosticsDue(const Recording& recording, int64_t step);

// Whether the metrics of the step that makes it `finished` are recorded: every
// metrics_interval, and at the end.
bool MetricsDue(const Recording& recording, int64_t finished,
                int64_t total_steps);

// Whether `step` is not begun because of a stop. One process stops when it is
// asked to, several when all agreed on it.
bool StopsBefore(int64_t step, int processes, bool requested,
                 const StopVote& vote);

}  // namespace xla_byol

#endif  // XLA_BYOL_TRAINING_LOOP_RULES_H_
