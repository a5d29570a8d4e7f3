// StableHLO text in MLIR's generic form, which has parsed unchanged across
// plugin versions, with ops and attributes that StableHLO 1.13 knows.

#ifndef XLA_BYOL_GRAPH_EMIT_H_
#define XLA_BYOL_GRAPH_EMIT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/graph/graph.h"
#include "xla_byol/graph/program.h"

namespace xla_byol::graph {

// A module with one function, `main`, from all parameters to `outputs` (ids of
// values). `inputs` gives donations. The graph must be simplified. Equal graphs
// give equal bytes.
std::string EmitModule(const Graph& graph, absl::Span<const int32_t> outputs,
                       absl::Span<const NamedTensor> inputs,
                       absl::string_view name);

// `key = value, ...` as StableHLO names an op's attributes; without braces.
std::string AttributesToMlir(const Graph& graph, const Node& node);

// The combiner's op, and its identity as an MLIR literal.
absl::string_view CombinerMnemonic(Combiner combiner);
std::string CombinerIdentity(Combiner combiner, DType dtype);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_EMIT_H_
