// From a graph to a program that a PJRT plugin compiles.

#ifndef XLA_BYOL_GRAPH_PROGRAM_H_
#define XLA_BYOL_GRAPH_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/graph/backend.h"
#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

struct Output {
  std::string name;
  Value value;
  // A parameter of the same shape whose buffer this output takes over: the
  // caller's buffer is consumed by the execution. Each at most once.
  Value donated = {};
};

struct FinishOptions {
  std::string name = "main";  // of the module
  Backend backend = Backend::kCpu;
};

struct NamedTensor {
  std::string name;
  Shape shape;
  // Of an input: the output that takes over its buffer.
  std::optional<int64_t> donated_to = std::nullopt;
};

struct Program {
  std::string text;                  // StableHLO, the same for the same graph
  std::vector<NamedTensor> inputs;   // all parameters, in order of creation
  std::vector<NamedTensor> outputs;  // as given to Finish
  int64_t replicas = 1;
};

// Removes dead and common nodes, chooses convolutions, and writes StableHLO.
// Fails with the graph's first error, when outputs or donations are wrong, or
// when a custom call is not the backend's.
// The graph stays as it is.
absl::StatusOr<Program> Finish(const Graph& graph,
                               absl::Span<const Output> outputs,
                               const FinishOptions& options = {});

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_PROGRAM_H_
