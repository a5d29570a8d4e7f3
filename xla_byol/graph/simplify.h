// The pass between building and emission.

#ifndef XLA_BYOL_GRAPH_SIMPLIFY_H_
#define XLA_BYOL_GRAPH_SIMPLIFY_H_

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "xla_byol/graph/graph.h"
#include "xla_byol/graph/program.h"

namespace xla_byol::graph {

struct Simplified {
  std::unique_ptr<Graph> graph;
  std::vector<int32_t> outputs;  // ids of values, in the order asked for
};

// A copy that holds all parameters and only such nodes as `outputs` (ids of
// values) depend on, equal nodes once, no builder-only ops such as
// StopGradient, and convolutions and collectives in the form that suits the
// backend. A custom
// call that the backend does not have is the copy's error.
Simplified Simplify(const Graph& graph, absl::Span<const int32_t> outputs,
                    const Backend& backend);

// Which nodes `outputs` depend on, by index.
std::vector<bool> LiveNodes(const Graph& graph,
                            absl::Span<const int32_t> outputs);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_SIMPLIFY_H_
