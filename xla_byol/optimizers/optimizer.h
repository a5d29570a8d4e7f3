// Optimizers: how a tensor follows its gradient.
//
// An optimizer is one file with its update and its row, and a line in
// optimizer.cc. What it remembers of a tensor are its slots, tensors of the
// same shape that start at 0 and lie in checkpoints under the slot's name:
// online/probe/w has momentum/probe/w.

#ifndef XLA_BYOL_OPTIMIZERS_OPTIMIZER_H_
#define XLA_BYOL_OPTIMIZERS_OPTIMIZER_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol {

// One tensor's turn: the whole of it, or this replica's share.
struct UpdateInput {
  graph::Value parameter;
  graph::Value gradient;              // of the global batch
  std::vector<graph::Value> slots;    // in the row's order
  graph::Value learning_rate;         // of this tensor's group
  std::vector<graph::Value> scalars;  // in the row's order
  // Two or more dimensions: a kernel, not a bias or a norm's scale or offset.
  bool is_matrix;
  // The weight decay is meant for it.
  bool decays;
  // Sums over the elements are taken of these and completed by `total`: the
  // parameter and gradient above, or this replica's part of them.
  graph::Value summed_parameter;
  graph::Value summed_gradient;
  std::function<graph::Value(graph::Value)> total;
};

struct UpdateResult {
  graph::Value parameter;
  std::vector<graph::Value> slots;
};

struct OptimizerRow {
  Optimizer::Kind kind;
  absl::Span<const absl::string_view> slots;
  // Fields of StepScalars that it needs besides the rate, by name.
  absl::Span<const absl::string_view> scalars;
  // Whether the weight decay reaches vectors unless the config says.
  bool decays_vectors;
  UpdateResult (*update)(const Optimizer&, const UpdateInput&);
};

// All rows.
absl::Span<const OptimizerRow* const> Optimizers();

// The row of a kind; nullptr if there is none.
const OptimizerRow* FindOptimizer(Optimizer::Kind kind);

// "momentum/probe/w": the slot of an online tensor, online/probe/w.
std::string SlotPath(absl::string_view slot, absl::string_view online_path);

// One step for one tensor. `gradient` is this replica's part; the sum over
// replicas is taken here. With execution.sharded_update every replica updates
// its share of each matrix, and all gather the result; with
// execution.sharded_norms each updates all of it, and only sums over the
// elements are divided.
UpdateResult UpdateTensor(const Config& config, graph::Value parameter,
                          graph::Value gradient,
                          const std::vector<graph::Value>& slots,
                          graph::Value learning_rate,
                          const std::vector<graph::Value>& scalars);

// The rows, each in the file of its name.
extern const OptimizerRow kLars;
extern const OptimizerRow kSgd;
extern const OptimizerRow kAdamW;

}  // namespace xla_byol

#endif  // XLA_BYOL_OPTIMIZERS_OPTIMIZER_H_
