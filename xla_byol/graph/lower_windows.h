// How the derivative of max pooling is computed. XLA's CPU backend looks for
// each window's maximum element by element, with all its coordinates, and
// scatters. Finish applies this to every select_and_scatter.

#ifndef XLA_BYOL_GRAPH_LOWER_WINDOWS_H_
#define XLA_BYOL_GRAPH_LOWER_WINDOWS_H_

#include "xla_byol/graph/graph.h"
#include "xla_byol/graph/program.h"

namespace xla_byol::graph {

// The source's elements at each window's first maximum. On CPU, where windows
// extend in a few dimensions and are small: one dimension after the other, by
// comparing slices, which the compiler turns into passes over memory in
// vectors. Only where windows hold nothing above -infinity does it differ: they
// may then give their element to the padding. Everything else stays as it is.
Value LowerSelectAndScatter(Value x, Value source,
                            const SelectAndScatterAttributes& attributes,
                            const Backend& backend);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_LOWER_WINDOWS_H_
