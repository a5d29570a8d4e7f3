// Communication among replicas of the program (Graph's `replicas`). Every
// replica must take part in the same order, which it does: they run one
// program.
//
// Derivatives are those of the sum over replicas of each replica's loss:
// Grad gives on each replica d(sum of losses) / d(value here). For example a
// batch-norm mean m = AllReduce(sum(x)) / n feeds every replica's loss, so the
// cotangent of sum(x) is the AllReduce of all replicas' cotangents of m. The
// gradient of a replicated parameter is then the AllReduce of what Grad gives.

#ifndef XLA_BYOL_GRAPH_COLLECTIVE_H_
#define XLA_BYOL_GRAPH_COLLECTIVE_H_

#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

// Element by element over replicas; only the sum has a derivative. With a
// `group`, over the replicas 0 ... group - 1, group ... 2 group - 1, and so on,
// each group for itself.
Value AllReduce(Value x, Combiner combiner = Combiner::kSum, int64_t group = 0);
// AllReduce / replicas.
Value AllReduceMean(Value x);
// The replicas' tensors joined along `axis`, in the order of replica ids.
Value AllGather(Value x, int64_t axis);
// The sum over replicas, of which each keeps its part along `axis`.
Value ReduceScatter(Value x, int64_t axis);
// u32[] in [0, replicas).
Value ReplicaId(Graph& graph);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_COLLECTIVE_H_
