// What finished steps say: records of metrics, and the line for people.

#ifndef XLA_BYOL_TRAINING_STEP_RECORDER_H_
#define XLA_BYOL_TRAINING_STEP_RECORDER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla_byol/config/config.h"
#include "xla_byol/metrics/metrics_log.h"
#include "xla_byol/runtime/bound_program.h"
#include "xla_byol/training/console.h"

namespace xla_byol {

// The metrics of one step, and those that the loop itself acts on.
struct StepMetrics {
  std::vector<StepOutputs::Scalar> all;
  float loss = 0;
  bool finite = true;                // the state is not lost
  std::optional<float> stop;         // with several processes
  std::optional<float> step_spread;  // likewise
};

// Waits for the step.
absl::StatusOr<StepMetrics> ReadMetrics(const StepOutputs& outputs);

class StepRecorder {
 public:
  // The config must outlive it; so must `metrics`, null in processes that write
  // nothing. The run has `finished` steps.
  StepRecorder(const Config& config, MetricsLog* metrics, int64_t finished);

  // The clock of the rates starts.
  void Start();

  // Records `step`, whose `outputs` gave `metrics`, where that is due.
  // `data_wait_s` is how long this process has waited for images so far.
  absl::Status Record(int64_t step, const StepMetrics& metrics,
                      const StepOutputs& outputs, double data_wait_s);

  // Time that was no training, and is not to count in the rates.
  void LeaveOut(absl::Duration time) { rate_time_ += time; }

  // Leaves the last line on the console.
  void Finish() { console_.Finish(status_); }

 private:
  void UpdateStatus(int64_t finished, double data_wait_s);
  void WriteMetrics(int64_t step, const StepMetrics& metrics);

  const Config& config_;
  MetricsLog* const metrics_;
  TrainingConsole console_;
  TrainingStatus status_;
  // Of the last metrics record, for rates.
  absl::Time rate_time_;
  int64_t rate_step_;
  double rate_wait_s_ = 0;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_TRAINING_STEP_RECORDER_H_
