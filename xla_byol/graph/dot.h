// Matrix products.

#ifndef XLA_BYOL_GRAPH_DOT_H_
#define XLA_BYOL_GRAPH_DOT_H_

#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

// a[m,k] b[k,n]. On TPU, kDefault multiplies f32 as one pass of bf16 and
// kHighest as six; on CPU all are f32.
Value MatMul(Value a, Value b, Precision precision = Precision::kDefault);

// Result dimensions: batch, free ones of lhs, free ones of rhs.
Value DotGeneral(Value lhs, Value rhs, DotAttributes attributes);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_DOT_H_
