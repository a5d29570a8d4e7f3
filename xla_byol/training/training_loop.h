// The loop: batches in, steps in line, metrics, checkpoints and evaluations
// out.

#ifndef XLA_BYOL_TRAINING_TRAINING_LOOP_H_
#define XLA_BYOL_TRAINING_TRAINING_LOOP_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla_byol/checkpoint/checkpoint_store.h"
#include "xla_byol/config/config.h"
#include "xla_byol/distributed/processes.h"
#include "xla_byol/eval/evaluator.h"
#include "xla_byol/input/loader.h"
#include "xla_byol/metrics/metrics_log.h"
#include "xla_byol/profiling/step_profiler.h"
#include "xla_byol/runtime/bound_program.h"
#include "xla_byol/runtime/device_program.h"
#include "xla_byol/runtime/process_place.h"
#include "xla_byol/training/bound_step.h"
#include "xla_byol/training/step_recorder.h"

namespace xla_byol {

// What the loop works with; all must outlive it.
struct LoopParts {
  const Config* config;
  const std::vector<StateTensor>* layout;
  const Runtime* runtime;
  const DeviceProgram* step;
  const DeviceProgram* diagnostic_step;  // null: no diagnostics
  input::Loader* loader;                 // its first batch is the first step's
  // Null in processes that write nothing.
  MetricsLog* metrics;
  CheckpointStore* checkpoints;
  // Null: no evaluation on the way.
  Evaluator* evaluator;
  // Null: alone, or on a TPU slice.
  distributed::Processes* processes;
  // Null: no profile.
  profiling::StepProfiler* profiler;
};

// Where the seconds went.
struct LoopTimes {
  double training_s = 0;    // all of it
  double data_wait_s = 0;   // of which the device waited for images,
  double checkpoint_s = 0;  // copied the state to the host,
  double evaluation_s = 0;  // or was used for evaluation
};

enum class LoopEnd {
  kFinished,  // all steps are done
  kStopped,   // a signal asked for it; the same command goes on
};

class TrainingLoop {
 public:
  // `values` is the state after `finished` steps.
  static absl::StatusOr<std::unique_ptr<TrainingLoop>> Create(
      const LoopParts& parts, int64_t finished, const StateValues& values);

  // Trains until the end or a stop signal, and saves the state. A state that is
  // not finite is FailedPrecondition with the step and the tensor; the
  // checkpoints before it stay.
  absl::StatusOr<LoopEnd> Run();

  int64_t finished() const { return finished_; }
  absl::StatusOr<StateValues> ReadState() const;
  const LoopTimes& times() const { return times_; }

 private:
  // A step in line, and the host memory that its transfers read.
  struct InFlight {
    int64_t step;
    input::Loader::Batch batch;
    StepOutputs outputs;
  };
  struct Ready {
    input::Loader::Batch host;
    StagedInputs device;
  };

  TrainingLoop(const LoopParts& parts, BoundStep step, int64_t finished);

  // For the spans of a profile; null: none is made.
  profiling::HostTrace* trace() const {
    return parts_.profiler == nullptr ? nullptr : parts_.profiler->trace();
  }
  // One turn of the loop: a step and what is due after it.
  absl::Status MakeStep();
  absl::StatusOr<Ready> NextBatch();
  absl::Status Enqueue(int64_t step, Ready batch);
  // Waits for the oldest step in line and looks at what it reports.
  absl::Status FinishOldest();
  absl::Status FinishAll();
  absl::Status LostState(int64_t step) const;

  bool IsCheckpointDue() const;
  bool IsEvaluationDue() const;
  absl::Status AgreeOnEvaluations();
  absl::Status Save();
  absl::Status EvaluateNow();

  const LoopParts parts_;
  const int64_t total_steps_;
  BoundStep step_;
  std::optional<BoundProgram> diagnostic_step_;  // shares step_'s inputs
  std::deque<InFlight> in_flight_;
  std::optional<Ready> next_;  // batch, on its way
  int64_t finished_;           // steps enqueued

  StopVote vote_;
  bool agreed_to_stop_ = false;  // during an evaluation
  int64_t evaluated_ = -1;       // step of the last one on record; -1: none
  StepRecorder recorder_;
  float loss_ = 0;  // of the last step that was looked at
  LoopTimes times_;
  absl::Time last_save_;
  int64_t last_saved_step_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_TRAINING_TRAINING_LOOP_H_
