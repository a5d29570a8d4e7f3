// Builds a NamedProgram:
//
//   ProgramBuilder builder("ema", {.replicas = 8});
//   const Value mean =
//       builder.Input("mean", TensorRole::kOnline, {DType::kF32, {64}});
//   const Value x =
//       builder.Input("x", TensorRole::kBatch, {DType::kF32, {64}});
//   builder.Update("mean", 0.9 * mean + 0.1 * x);
//   builder.Output("spread", TensorRole::kMetric, Sum(Abs(x - mean)));
//   return std::move(builder).Finish();
//
// Inputs and outputs are called in the order in which they were declared.

#ifndef XLA_BYOL_PROGRAM_PROGRAM_BUILDER_H_
#define XLA_BYOL_PROGRAM_PROGRAM_BUILDER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/graph/graph.h"
#include "xla_byol/graph/program.h"
#include "xla_byol/program/named_program.h"

namespace xla_byol {

// Where a program runs.
struct ProgramOptions {
  // Copies of the program, each with its part of the batch.
  int replicas = 1;
  graph::Backend backend = graph::Backend::kCpu;
};

// Neither copied nor moved: values point at its graph. Mistakes (a name twice,
// an update of no input) are kept and returned by Finish.
class ProgramBuilder {
 public:
  // `name` is the module's.
  ProgramBuilder(absl::string_view name, const ProgramOptions& options);
  ProgramBuilder(const ProgramBuilder&) = delete;
  ProgramBuilder& operator=(const ProgramBuilder&) = delete;

  graph::Graph& graph() { return graph_; }

  // A new parameter of the graph.
  graph::Value Input(absl::string_view name, TensorRole role,
                     const graph::Shape& shape);
  // The graph's newest parameter as an input: for those that nn::Variables
  // declared.
  void AdoptInput(absl::string_view name, TensorRole role, graph::Value value);

  // The next value of input `name`, whose buffer it takes over.
  void Update(absl::string_view name, graph::Value next);
  void Output(absl::string_view name, TensorRole role, graph::Value value);

  // StableHLO and the names. INTERNAL with the first mistake, or the graph's
  // own error.
  absl::StatusOr<NamedProgram> Finish();

 private:
  // Keeps a mistake, unless there is one.
  void Mistake(absl::string_view problem);

  const std::string name_;
  const ProgramOptions options_;
  graph::Graph graph_;
  NamedProgram program_;
  std::vector<graph::Output> outputs_;
  // By name: the place in program_.inputs, and the parameter.
  struct Declared {
    size_t index;
    graph::Value value;
  };
  absl::flat_hash_map<std::string, Declared> inputs_;
  absl::Status status_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_PROGRAM_PROGRAM_BUILDER_H_
