// How max pooling and its derivative are computed. XLA's CPU backend looks for
// each window's maximum element by element, for the derivative with all its
// coordinates, and scatters. Finish applies this to every reduce_window and
// select_and_scatter.

#ifndef XLA_BYOL_GRAPH_LOWER_WINDOWS_H_
#define XLA_BYOL_GRAPH_LOWER_WINDOWS_H_

#include "xla_byol/graph/graph.h"
#include "xla_byol/graph/program.h"

namespace xla_byol::graph {

// Windows of x, of which there are `counts`. On CPU, where windows extend in a
// few dimensions and are small, a maximum is taken of slices, one dimension
// after the other: the same numbers, computed in vectors. Everything else stays
// as it is.
Value LowerReduceWindow(Value x, const Dims& counts,
                        const WindowAttributes& attributes,
                        const Backend& backend);

// The source's elements at each window's first maximum, on CPU by comparing
// slices in the same way. Only where windows hold nothing above -infinity does
// it differ: they may then give their element to the padding.
Value LowerSelectAndScatter(Value x, Value source,
                            const SelectAndScatterAttributes& attributes,
                            const Backend& backend);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_LOWER_WINDOWS_H_
