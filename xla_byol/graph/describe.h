// What a graph costs, scope by scope.

#ifndef XLA_BYOL_GRAPH_DESCRIBE_H_
#define XLA_BYOL_GRAPH_DESCRIBE_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/types/span.h"
#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

struct ScopeCost {
  int64_t ops = 0;
  // Products count a multiplication and an addition, element-wise ops one per
  // element, reductions one per element of the operand; moving is free.
  int64_t flops = 0;
  int64_t parameter_bytes = 0;
  // Results of all ops: what memory would hold if nothing were fused.
  int64_t activation_bytes = 0;
};

// Costs of what `outputs` need, by the first `depth` parts of each op's scope
// ("" for none). Parameters count where their name says: `resnet/stem/w` under
// `resnet/stem`.
std::map<std::string, ScopeCost> CostByScope(const Graph& graph,
                                             absl::Span<const Value> outputs,
                                             int depth = 2);

// The same as a table, with a line for the total.
std::string Describe(const Graph& graph, absl::Span<const Value> outputs,
                     int depth = 2);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_DESCRIBE_H_
