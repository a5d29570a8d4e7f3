// How a sum down the columns of a matrix is computed. XLA's CPU backend walks
// such sums one column at a time and adds up one element after the other: slow,
// and of low accuracy when they are long. Finish applies this to every
// reduction.

#ifndef XLA_BYOL_GRAPH_LOWER_REDUCTIONS_H_
#define XLA_BYOL_GRAPH_LOWER_REDUCTIONS_H_

#include "xla_byol/graph/graph.h"
#include "xla_byol/graph/program.h"

namespace xla_byol::graph {

// The reduction, on CPU with long columns (batch norm's moments and their
// gradients) in two stages: the sum of up to sixteen slabs, which the compiler
// turns into one pass over memory in vectors, then a product with a matrix of
// ones and zeros. Everything else stays as it is.
// tools/bazel run //tests/graph:lowering_benchmark compares both ways.
Value LowerReduction(Value x, const ReduceAttributes& attributes,
                     const Backend& backend);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_LOWER_REDUCTIONS_H_
