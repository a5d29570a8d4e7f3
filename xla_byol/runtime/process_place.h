// A process's place in a run of many: which rows of the batch it feeds, who
// writes files, and how all agree to stop. Plain functions of what the plugin
// says about its devices, so that 64 processes can be tried in one.
//
// One process runs on each host of a TPU slice. They never talk to each other:
// what they must agree on travels through the step itself, which every process
// runs in the same order (StepOptions::processes).

#ifndef XLA_BYOL_RUNTIME_PROCESS_PLACE_H_
#define XLA_BYOL_RUNTIME_PROCESS_PLACE_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/device.h"

namespace xla_byol {

struct ProcessPlace {
  int process = 0;
  int processes = 1;
  int devices = 1;  // of this process; the same number for all

  int global_devices() const { return processes * devices; }

  // Checkpoints, metrics, logs and reports are written by one process; all read
  // checkpoints, from a folder that all see.
  bool writes_files() const { return process == 0; }
};

// The place of `process` among `devices`, all devices of all processes.
// FAILED_PRECONDITION if processes are not numbered 0, 1, ..., if their shares
// differ, or if two devices have the same id.
absl::StatusOr<ProcessPlace> FindPlace(
    absl::Span<const pjrt::DeviceDescription> devices, int process);

// A client's own place, as the plugin tells it.
ProcessPlace PlaceOf(const pjrt::Client& client);

// Rows begin ... end - 1 of the global batch.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
};

// The rows that a process feeds to its `device`-th device; as input::Loader
// deals them out. `batch` must be divisible by the number of all devices.
RowRange RowsOf(const ProcessPlace& place, int device, int64_t batch);

// One process's part in agreeing on an end (a signal, a preemption notice, a
// limit of time). A process that wants to stop says so in the next step's
// scalar; the step's metric is the same for all, so all can end after the same
// step. Not all read it at the same moment, though: the one that saves a
// checkpoint reads all metrics first, others have the next step in line by
// then. So the end comes where everybody has read it, whoever reads early.
class StopVote {
 public:
  // A process has this many steps in line at most when it reads the metrics of
  // the oldest of them.
  static constexpr int64_t kStepsInLine = 2;

  // This process wants to stop; it stays so.
  void Ask() { asked_ = true; }
  // The step's scalar `stop`.
  float ballot() const { return asked_ ? 1.0f : 0.0f; }
  // `metric` is what `step` gave for `stop`. Steps come in order.
  void Hear(int64_t step, float metric) {
    if (metric > 0) end_ = std::min(end_, step + kStepsInLine);
  }
  // Whether all agreed that `step` is not begun any more.
  bool EndsBefore(int64_t step) const { return step >= end_; }

 private:
  bool asked_ = false;
  int64_t end_ = std::numeric_limits<int64_t>::max();
};

// The step's metric `step_spread` as a status: FAILED_PRECONDITION unless it is
// 0, when processes do not run the same step, as they would after reading
// different checkpoints. `step` is this process's.
absl::Status CheckSameStep(float step_spread, int64_t step);

}  // namespace xla_byol

#endif  // XLA_BYOL_RUNTIME_PROCESS_PLACE_H_
