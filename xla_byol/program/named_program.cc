#include "xla_byol/program/named_program.h"

namespace xla_byol {
namespace {

const ProgramTensor* Find(const std::vector<ProgramTensor>& tensors,
                          absl::string_view name) {
  for (const ProgramTensor& tensor : tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

}  // namespace

absl::string_view RoleName(TensorRole role) {
  switch (role) {
    case TensorRole::kOnline:
      return "online";
    case TensorRole::kTarget:
      return "target";
    case TensorRole::kMomentum:
      return "momentum";
    case TensorRole::kBatchStats:
      return "batch_stats";
    case TensorRole::kPredictor:
      return "predictor";
    case TensorRole::kBatch:
      return "batch";
    case TensorRole::kScalar:
      return "scalar";
    case TensorRole::kMetric:
      return "metric";
    case TensorRole::kDiagnostic:
      return "diagnostic";
  }
  return "";
}

bool IsState(TensorRole role) {
  switch (role) {
    case TensorRole::kOnline:
    case TensorRole::kTarget:
    case TensorRole::kMomentum:
    case TensorRole::kBatchStats:
    case TensorRole::kPredictor:
      return true;
    case TensorRole::kBatch:
    case TensorRole::kScalar:
    case TensorRole::kMetric:
    case TensorRole::kDiagnostic:
      return false;
  }
  return false;
}

const ProgramTensor* NamedProgram::FindInput(absl::string_view name) const {
  return Find(inputs, name);
}

const ProgramTensor* NamedProgram::FindOutput(absl::string_view name) const {
  return Find(outputs, name);
}

}  // namespace xla_byol
