// A process's place in a run of many: which rows of the batch it feeds, who
// writes files, and how all agree to stop. Plain functions of what the plugin
// says about its devices, so that 64 processes can be tried in one.
//
// One process runs on each host of a TPU slice. They never talk to each other:
// what they must agree on travels through the step itself, which every process
// runs in the same order (StepOptions::processes).

#ifndef XLA_BYOL_DRIVER_PROCESS_PLACE_H_
#define XLA_BYOL_DRIVER_PROCESS_PLACE_H_

#include <cstdint>

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
// deals them out. `batch` must divide by the number of all devices.
RowRange RowsOf(const ProcessPlace& place, int device, int64_t batch);

// One process's part in agreeing on an end (a signal, a preemption notice, a
// limit of time). A process that wants to stop says so in the next step's
// scalar; the step's metric is the same for all, so all stop after the same
// step. Metrics must be read after the same steps in all processes.
class StopVote {
 public:
  // This process wants to stop; it stays so.
  void Ask() { asked_ = true; }
  // The step's scalar `stop`.
  float ballot() const { return asked_ ? 1.0f : 0.0f; }
  // Whether the run ends after the step whose metric `stop` this is.
  static bool Agreed(float metric) { return metric > 0; }

 private:
  bool asked_ = false;
};

// The step's metric `step_spread` as a status: FAILED_PRECONDITION unless it is
// 0, when processes do not run the same step, as they would after reading
// different checkpoints. `step` is this process's.
absl::Status CheckSameStep(float step_spread, int64_t step);

}  // namespace xla_byol

#endif  // XLA_BYOL_DRIVER_PROCESS_PLACE_H_
