// The training step with its buffers: which of its inputs is which part of a
// batch, and which number of the schedules.

#ifndef XLA_BYOL_TRAINING_BOUND_STEP_H_
#define XLA_BYOL_TRAINING_BOUND_STEP_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/runtime/bound_program.h"
#include "xla_byol/step/state.h"

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

// Move-only. Waits for nothing, as BoundProgram does not.
class BoundStep {
 public:
  // Finds the inputs by their names. INTERNAL if `program`, a train step's, has
  // one of the batch or the schedules that is not known here.
  static absl::StatusOr<BoundStep> Create(BoundProgram program);

  BoundProgram& program() { return program_; }
  const BoundProgram& program() const { return program_; }

  // Puts the same state on every device; `fill` writes the values of tensor i
  // of the layout.
  absl::Status WriteState(
      absl::Span<const StateTensor> layout,
      absl::FunctionRef<void(size_t, absl::Span<float>)> fill);

  // One batch per device of this process, in the client's order. The memory
  // must stay as it is until the step that takes it is done.
  absl::StatusOr<StagedInputs> StartTransfer(
      absl::Span<const HostBatch> batches) const;

  // What the next step is given: this one's, or that of a program that shares
  // its inputs.
  absl::Status SetInputs(StagedInputs batch, const StepScalars& scalars);

  // SetInputs, and puts this step in line.
  absl::Status Run(StagedInputs batch, const StepScalars& scalars);

 private:
  explicit BoundStep(BoundProgram program) : program_(std::move(program)) {}

  BoundProgram program_;
  using PartOfBatch = absl::Span<const std::byte> (*)(const HostBatch&);
  std::vector<std::pair<InputHandle, PartOfBatch>> batch_;
  std::vector<std::pair<InputHandle, float StepScalars::*>> scalars_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_TRAINING_BOUND_STEP_H_
