#include "xla_byol/graph/collective.h"

#include "xla_byol/graph/elementwise.h"

namespace xla_byol::graph {

Value AllReduce(Value x, Combiner combiner, int64_t group) {
  if (x.valid() && group == x.graph()->replicas()) group = 0;
  return Apply(OpCode::kAllReduce, {x}, AllReduceAttributes{combiner, group});
}

Value AllReduceMean(Value x) {
  if (!x.valid()) return x;
  return AllReduce(x) * (1.0 / static_cast<double>(x.graph()->replicas()));
}

Value AllGather(Value x, int64_t axis) {
  return Apply(OpCode::kAllGather, {x},
               AllGatherAttributes{axis < 0 ? axis + x.rank() : axis});
}

Value ReduceScatter(Value x, int64_t axis) {
  return Apply(OpCode::kReduceScatter, {x},
               ReduceScatterAttributes{axis < 0 ? axis + x.rank() : axis});
}

Value ReplicaId(Graph& graph) { return graph.Apply(OpCode::kReplicaId, {})[0]; }

}  // namespace xla_byol::graph
