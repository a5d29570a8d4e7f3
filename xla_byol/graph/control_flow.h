// Loops that stay loops, and barriers for the optimizer.

#ifndef XLA_BYOL_GRAPH_CONTROL_FLOW_H_
#define XLA_BYOL_GRAPH_CONTROL_FLOW_H_

#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

// The values themselves; XLA moves and merges nothing across.
std::vector<Value> OptimizationBarrier(absl::Span<const Value> values);

// Each function gets the loop's state as values of the region's own graph and
// may use only them and constants made in that graph: what the loop needs from
// outside goes through the state. Returns the state when `condition` fails.
// Loops have no derivative: unroll what Grad must pass.
using RegionBuilder =
    std::function<std::vector<Value>(Graph&, const std::vector<Value>& state)>;
std::vector<Value> While(absl::Span<const Value> state,
                         const RegionBuilder& condition,
                         const RegionBuilder& body);

// body(i, state) for i = 0 (s32[]) ... count - 1.
using LoopBody = std::function<std::vector<Value>(
    Graph&, Value i, const std::vector<Value>& state)>;
std::vector<Value> Repeat(int64_t count, absl::Span<const Value> state,
                          const LoopBody& body);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_CONTROL_FLOW_H_
