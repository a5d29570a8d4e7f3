// LARS: momentum SGD whose step is scaled, tensor by tensor, to the size of the
// weights.

#ifndef XLA_BYOL_OPTIMIZERS_LARS_H_
#define XLA_BYOL_OPTIMIZERS_LARS_H_

#include "xla_byol/graph/ops.h"

namespace xla_byol {

struct LarsOptions {
  double weight_decay = 1e-6;
  double momentum = 0.9;
  double trust_coefficient = 1e-3;
  // Never steps further than momentum SGD without scaling would.
  bool clip_trust = false;
  // Every replica updates its share of each matrix, and all gather the result.
  bool sharded = false;
};

struct LarsUpdate {
  graph::Value parameter;
  graph::Value momentum;
};

// One step for one tensor. `gradient` is this replica's part; the sum over
// replicas is taken here. In the reference's order:
//
//   u = g + weight_decay p
//   u = u trust_coefficient |p| / |u|      (unless a norm is 0)
//   m = momentum m + u
//   p = p - learning_rate m
//
// Vectors (biases, batch norm's scales and offsets) skip the first two lines.
LarsUpdate Lars(const LarsOptions& options, graph::Value parameter,
                graph::Value gradient, graph::Value momentum,
                graph::Value learning_rate);

}  // namespace xla_byol

#endif  // XLA_BYOL_OPTIMIZERS_LARS_H_
