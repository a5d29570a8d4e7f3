#include "xla_byol/step/step_inputs.h"

namespace xla_byol {

graph::Value StepInputs::Declare(const StateTensor& tensor) {
  graph::Graph& graph = variables.graph();
  switch (tensor.role) {
    case TensorRole::kMomentum:
      return slots[tensor.path] = graph.Parameter(tensor.path, tensor.shape);
    case TensorRole::kPredictor:
      return predictor[tensor.path] =
                 graph.Parameter(tensor.path, tensor.shape);
    default:
      variables.Declare(VariableOf(tensor));
      return variables.all().back().value;
  }
}

}  // namespace xla_byol
