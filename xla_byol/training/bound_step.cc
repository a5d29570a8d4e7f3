#include "xla_byol/training/bound_step.h"

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol {
namespace {

template <auto kMember>
absl::Span<const std::byte> Bytes(const HostBatch& batch) {
  return BytesOf(batch.*kMember);
}

constexpr struct {
  const char* name;
  absl::Span<const std::byte> (*part)(const HostBatch&);
} kBatchInputs[] = {
    {"view1", Bytes<&HostBatch::view1>},
    {"view2", Bytes<&HostBatch::view2>},
    {"labels", Bytes<&HostBatch::labels>},
    {"draws1", Bytes<&HostBatch::draws1>},
    {"draws2", Bytes<&HostBatch::draws2>},
};

constexpr struct {
  const char* name;
  float StepScalars::*value;
} kScalarInputs[] = {
    {"learning_rate", &StepScalars::learning_rate},
    {"target_decay", &StepScalars::target_decay},
    {"predictor_decay", &StepScalars::predictor_decay},
    {"batch_norm_rate1", &StepScalars::batch_norm_rate1},
    {"batch_norm_rate2", &StepScalars::batch_norm_rate2},
    {"stop", &StepScalars::stop},
    {"step", &StepScalars::step},
    {"predictor_learning_rate", &StepScalars::predictor_learning_rate},
    {"predictor_set", &StepScalars::predictor_set},
    {"first_moment_rate", &StepScalars::first_moment_rate},
    {"second_moment_rate", &StepScalars::second_moment_rate},
};

// The row of a table above, or null.
template <typename Table>
auto FindRow(const Table& table, absl::string_view name) {
  for (const auto& row : table) {
    if (row.name == name) return &row;
  }
  return decltype(&table[0]){nullptr};
}

absl::Status NobodyGives(const ProgramTensor& input) {
  return absl::InternalError(absl::StrCat("the step takes ",
                                          RoleName(input.role), " input '",
                                          input.name, "', which nobody gives"));
}

}  // namespace

absl::StatusOr<BoundStep> BoundStep::Create(BoundProgram program) {
  BoundStep step(std::move(program));
  for (const ProgramTensor& input : step.program_.program().inputs) {
    if (IsState(input.role)) continue;
    ASSIGN_OR_RETURN(const InputHandle handle,
                     step.program_.FindInput(input.name));
    if (input.role == TensorRole::kBatch) {
      const auto* row = FindRow(kBatchInputs, input.name);
      if (row == nullptr) return NobodyGives(input);
      step.batch_.emplace_back(handle, row->part);
    } else {
      const auto* row = FindRow(kScalarInputs, input.name);
      if (row == nullptr) return NobodyGives(input);
      step.scalars_.emplace_back(handle, row->value);
    }
  }
  return step;
}

absl::Status BoundStep::WriteState(
    absl::Span<const StateTensor> layout,
    absl::FunctionRef<void(size_t, absl::Span<float>)> fill) {
  std::vector<float> values;
  for (size_t i = 0; i < layout.size(); ++i) {
    values.resize(static_cast<size_t>(layout[i].shape.elements()));
    fill(i, absl::MakeSpan(values));
    RETURN_IF_ERROR(
        program_.SetAll(layout[i].path, absl::MakeConstSpan(values)));
  }
  return absl::OkStatus();
}

absl::StatusOr<StagedInputs> BoundStep::StartTransfer(
    absl::Span<const HostBatch> batches) const {
  StagedInputs staged;
  for (size_t device = 0; device < batches.size(); ++device) {
    for (const auto& [input, part] : batch_) {
      RETURN_IF_ERROR(
          program_.Stage(input, device, part(batches[device]), staged));
    }
  }
  return staged;
}

absl::Status BoundStep::SetInputs(StagedInputs batch,
                                  const StepScalars& scalars) {
  program_.Take(std::move(batch));
  for (const auto& [input, value] : scalars_) {
    RETURN_IF_ERROR(
        program_.SetAll(input, absl::MakeConstSpan(&(scalars.*value), 1)));
  }
  return absl::OkStatus();
}

absl::Status BoundStep::Run(StagedInputs batch, const StepScalars& scalars) {
  RETURN_IF_ERROR(SetInputs(std::move(batch), scalars));
  return program_.Run();
}

}  // namespace xla_byol
