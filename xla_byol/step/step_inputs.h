// What the step's program is given, as values of its graph.

#ifndef XLA_BYOL_STEP_STEP_INPUTS_H_
#define XLA_BYOL_STEP_STEP_INPUTS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/model/networks.h"
#include "xla_byol/nn/variables.h"
#include "xla_byol/step/state.h"

namespace xla_byol {

using ValuesByPath = absl::flat_hash_map<std::string, graph::Value>;

// Values belong to the graph, which must outlive this.
struct StepInputs {
  explicit StepInputs(graph::Graph& graph) : variables(graph) {}

  // Makes the program's input for one tensor of the state.
  graph::Value Declare(const StateTensor& tensor);

  nn::Variables variables;  // both networks, their statistics
  ValuesByPath slots;       // the optimizer's
  ValuesByPath predictor;   // closed forms' matrices
  ViewPair views;
  ViewPair draws;  // with augmentation
  graph::Value labels;
  graph::Value learning_rate, tau, rho;
  ViewPair norm_rates;
  graph::Value stop, step;  // with several processes
  // Valid where the config has a use for them; see StepScalars.
  graph::Value predictor_learning_rate, predictor_set;
  std::vector<graph::Value> optimizer_scalars;  // in the optimizer's order
};

}  // namespace xla_byol

#endif  // XLA_BYOL_STEP_STEP_INPUTS_H_
