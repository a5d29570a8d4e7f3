// The named tensors of a network: what training changes, and what a checkpoint
// holds.
//
// Layers ask for their variables by name while they are built; the path is the
// graph's scope, so that a tensor, its place in the optimized program and its
// entry in a checkpoint all have one name:
//
//   Scope scope(graph, "conv");
//   Value w = variables.Parameter("w", {3, 3, 64, 64},
//   Initializer::FanIn(576));
//   // an input of the program, called online/resnet/stem/conv/w

#ifndef XLA_BYOL_NN_VARIABLES_H_
#define XLA_BYOL_NN_VARIABLES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "xla_byol/graph/graph.h"
#include "xla_byol/graph/shape.h"

namespace xla_byol::nn {

// How a tensor starts (initialize.h computes it).
struct Initializer {
  enum class Kind { kConstant, kTruncatedNormal, kIdentity };
  Kind kind = Kind::kConstant;
  double value = 0;  // the constant, or the standard deviation

  static Initializer Constant(double value) { return {Kind::kConstant, value}; }
  // Normal numbers of variance 1 / fan_in, cut at two standard deviations.
  static Initializer FanIn(int64_t fan_in);
  static Initializer Identity() { return {Kind::kIdentity, 0}; }

  bool operator==(const Initializer&) const = default;
};

enum class Role { kParameter, kStatistic };

struct Variable {
  std::string path;
  Role role;
  graph::Shape shape;
  Initializer initializer;
  graph::Value value;
  // What a statistic becomes after this step; invalid if nothing changed it.
  graph::Value update;
};

class Variables {
 public:
  // Variables become parameters of `graph`, which must outlive this, in the
  // order of their first use.
  explicit Variables(graph::Graph& graph) : graph_(graph) {}
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  // The trained tensor `name` of the current scope, made on first use. Asking
  // again with another shape is an error in the graph.
  graph::Value Parameter(absl::string_view name, const graph::Dims& dims,
                         Initializer initializer);

  // Likewise for a statistic, which has no gradient: its newest value, after
  // SetStatistic what was set. Its path is "batch_stats/" and the scope's.
  graph::Value Statistic(absl::string_view name, const graph::Dims& dims,
                         Initializer initializer);
  void SetStatistic(absl::string_view name, graph::Value update);

  // Makes a variable ahead of its use, to fix its place in the order.
  void Declare(const Variable& variable);

  graph::Graph& graph() const { return graph_; }
  const std::vector<Variable>& all() const { return variables_; }
  // The one with this path, or nullptr.
  const Variable* Find(absl::string_view path) const;

 private:
  std::string PathOf(absl::string_view name, Role role) const;
  graph::Value Get(absl::string_view name, Role role, const graph::Dims& dims,
                   Initializer initializer);

  graph::Graph& graph_;
  std::vector<Variable> variables_;
  absl::flat_hash_map<std::string, size_t> by_path_;
};

}  // namespace xla_byol::nn

#endif  // XLA_BYOL_NN_VARIABLES_H_
