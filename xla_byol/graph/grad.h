// Reverse-mode derivatives, as more nodes of the same graph.
//
// Only what is asked for is built: an operand that depends on none of `wrt`
// gets no cotangent, and no node is made that does not feed a result. Nodes
// carry the scope of the op they differentiate, under `gradient/`. What a
// Rematerialization holds is computed again, under `recompute/`, behind an
// optimization barrier that waits for the cotangents; results of collectives
// inside it are kept.
//
// With several replicas see collective.h for what the numbers mean.

#ifndef XLA_BYOL_GRAPH_GRAD_H_
#define XLA_BYOL_GRAPH_GRAD_H_

#include <vector>

#include "absl/types/span.h"
#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

// d loss / d value for each of `wrt`, which may be any values of floats; loss
// is a scalar. A value that the loss does not depend on gets zeros. Errors
// (such as an op without derivative in between) stay in the graph.
std::vector<Value> Grad(Value loss, absl::Span<const Value> wrt);

// The sum over outputs of cotangent * d output / d value, for each of `wrt`;
// each cotangent has its output's shape.
std::vector<Value> Vjp(absl::Span<const Value> outputs,
                       absl::Span<const Value> cotangents,
                       absl::Span<const Value> wrt);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_GRAD_H_
