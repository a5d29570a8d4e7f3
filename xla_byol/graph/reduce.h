// Reductions over axes (negative ones count from the last dimension).

#ifndef XLA_BYOL_GRAPH_REDUCE_H_
#define XLA_BYOL_GRAPH_REDUCE_H_

#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

// With keep_dims the reduced dimensions stay, of size 1.
Value Reduce(Value x, Combiner combiner, Dims axes, bool keep_dims = false);
Value ReduceSum(Value x, Dims axes, bool keep_dims = false);
// The derivative is shared equally by all elements that attain the extreme.
Value ReduceMax(Value x, Dims axes, bool keep_dims = false);
Value ReduceMin(Value x, Dims axes, bool keep_dims = false);
// Of floats.
Value ReduceMean(Value x, Dims axes, bool keep_dims = false);
// Over all axes, to a scalar.
Value Sum(Value x);
Value Mean(Value x);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_REDUCE_H_
