// A compiled step with its state on the devices.
//
// Nothing here waits for a device but what is called Read...: transfers and
// executions are put in line, and the next ones can follow at once.

#ifndef XLA_BYOL_RUNTIME_STEP_RUNNER_H_
#define XLA_BYOL_RUNTIME_STEP_RUNNER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/runner.h"
#include "xla_byol/step/train_step.h"

namespace xla_byol {

// The images of one device, in host memory.
struct HostBatch {
  absl::Span<const uint8_t> view1;
  absl::Span<const uint8_t> view2;
  absl::Span<const int32_t> labels;
  // With augmentation: [b,kAugmentationDraws] for each view.
  absl::Span<const float> draws1 = {};
  absl::Span<const float> draws2 = {};
};

// A batch on its way to the devices, or there.
struct DeviceBatch {
  std::vector<pjrt::Buffer> buffers;  // all of the first device, then the next
  // The host's memory may change again when all of these have happened.
  std::vector<pjrt::Event> host_free;
};

// What one step reported, perhaps not computed yet. Move-only; the step's
// program must outlive it.
class StepReports {
 public:
  // Waits for the step, and gives its metrics in the program's order.
  absl::StatusOr<std::vector<float>> ReadMetrics() const;
  // The same for one of the matrices that diagnostics add, by its name.
  absl::StatusOr<std::vector<float>> ReadDiagnostic(
      absl::string_view name) const;
  // Of metric i.
  const std::string& metric_name(size_t i) const;

 private:
  friend class StepRunner;
  explicit StepReports(const StepProgram* step) : step_(step) {}

  const StepProgram* step_;
  std::vector<pjrt::Buffer> buffers_;  // the outputs after the state
};

// Move-only. The client and the executable must outlive it.
class StepRunner {
 public:
  // `executable` must be `step`'s program, compiled for all of the client's
  // devices.
  StepRunner(const pjrt::Client& client,
             const pjrt::LoadedExecutable& executable, const StepProgram& step);

  // Puts the same state on every device; `fill` writes the values of tensor i
  // of the layout.
  absl::Status WriteState(
      absl::FunctionRef<void(size_t, absl::Span<float>)> fill);
  // Reads tensor i from the first device, after all steps in line.
  absl::StatusOr<std::vector<float>> ReadState(size_t tensor) const;
  // All tensors, copied side by side.
  absl::StatusOr<std::vector<std::vector<float>>> ReadWholeState() const;

  // One batch per device of this process, in the client's order. The memory
  // must stay as it is until host_free.
  absl::StatusOr<DeviceBatch> StartTransfer(
      absl::Span<const HostBatch> batches) const;

  // Puts one step in line. The batch is kept alive until the next call.
  absl::Status Run(DeviceBatch batch, const StepScalars& scalars);

  // What the last step reports; once for each step.
  StepReports TakeReports();

  // Takes over the state of a runner of the same config, which is left without:
  // how a run takes the program with diagnostics now and then.
  void TakeState(StepRunner& other) { MoveInto(state_, other.state_); }

 private:
  // Element by element, since the argument list points at the places.
  static void MoveInto(std::vector<pjrt::Buffer>& places,
                       std::vector<pjrt::Buffer>& buffers) {
    std::move(buffers.begin(), buffers.end(), places.begin());
  }

  // Tensor `index` of one device, in a list with `per_device` tensors each.
  pjrt::Buffer& State(size_t device, size_t tensor) {
    return state_[device * state_tensors_ + tensor];
  }

  const pjrt::Client* client_;
  const StepProgram* step_;
  size_t state_tensors_;
  size_t batch_tensors_;
  size_t scalar_tensors_;
  size_t reports_per_device_;  // metrics and diagnostics
  std::vector<pjrt::Buffer> state_;
  std::vector<pjrt::Buffer> reports_;
  std::vector<pjrt::Buffer> scalars_;
  DeviceBatch batch_;
  pjrt::Runner runner_;
  // For the runner, made once: pointers into the vectors above.
  std::vector<pjrt::Buffer*> arguments_;
  std::vector<pjrt::Buffer*> results_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_RUNTIME_STEP_RUNNER_H_
