// A Graph is a list of operations in creation order; a Value names one result.
//
//   Graph graph;
//   Value x = graph.Parameter("x", {DType::kF32, {8, 4}});
//   Value w = graph.Parameter("w", {DType::kF32, {4, 2}});
//   Value y = Tanh(MatMul(x, w) + 1.0);                      // ops.h
//   Value loss = ReduceMean(y * y, {0, 1});
//   std::vector<Value> dw = Grad(loss, {w});                 // grad.h
//   ASSIGN_OR_RETURN(Program program,                        // program.h
//                    Finish(graph, {{"loss", loss}, {"dw", dw[0]}}));
//
// Errors: the first wrong use of an op is kept in the graph, with the op, the
// operands' shapes and the scope, and comes back from Finish. The op and all
// that is computed from it yield invalid values, which are harmless to use.
//
// A graph is not thread-safe. It must outlive its values, and does not move.

#ifndef XLA_BYOL_GRAPH_GRAPH_H_
#define XLA_BYOL_GRAPH_GRAPH_H_

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/graph/attributes.h"
#include "xla_byol/graph/op_table.h"
#include "xla_byol/graph/shape.h"

namespace xla_byol::graph {

class Graph;

// A handle, to be passed by value. Default-constructed values are invalid.
class Value {
 public:
  Value() = default;
  Value(Graph* graph, int32_t id) : graph_(graph), id_(id) {}

  bool valid() const { return graph_ != nullptr && id_ >= 0; }
  Graph* graph() const { return graph_; }
  int32_t id() const { return id_; }

  // Of an invalid value: f32[].
  const Shape& shape() const;
  DType dtype() const { return shape().dtype; }
  const Dims& dims() const { return shape().dims; }
  int64_t rank() const { return shape().rank(); }
  // Size of one dimension; negative counts from the last. A dimension that does
  // not exist is an error in the graph, and 1.
  int64_t dim(int64_t axis) const;

  // The same handle, not the same numbers.
  bool operator==(const Value&) const = default;

 private:
  Graph* graph_ = nullptr;
  int32_t id_ = -1;
};

// One operation. Its results are the values first_result ... + results - 1.
struct Node {
  OpCode op;
  std::vector<int32_t> operands;  // ids of values
  Attributes attributes;
  int32_t first_result;
  int32_t results;
  int32_t scope;
};

struct ScopeInfo {
  std::string path;  // resnet/stage1/block0/conv2; empty at the top
  // Which Rematerialization the nodes belong to; -1 for none.
  int32_t region = -1;
};

class Graph {
 public:
  // Collectives span `replicas` copies of the program.
  explicit Graph(int64_t replicas = 1) : replicas_(replicas) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Inputs of the program, in the order of these calls. Names are unique.
  Value Parameter(absl::string_view name, Shape shape);

  // Adds an op after checking operands and inferring its results' shapes; the
  // functions in ops.h are the convenient way. Returns one value per result;
  // after an error, `results_on_error` invalid ones.
  std::vector<Value> Apply(OpCode op, absl::Span<const Value> operands,
                           Attributes attributes = NoAttributes{},
                           int results_on_error = 1);

  // Records an error unless there is one already, as
  // `op: message (shapes of operands) at scope`. Returns an invalid value.
  Value Fail(absl::string_view op, absl::string_view message,
             absl::Span<const Value> operands = {});
  const absl::Status& status() const { return status_; }
  // Records another graph's error (of a loop body, say) as it is.
  void Adopt(const absl::Status& status) { status_.Update(status); }

  int64_t replicas() const { return replicas_; }
  const std::deque<Node>& nodes() const { return nodes_; }
  const std::vector<int32_t>& parameters() const { return parameters_; }
  // What a loop's region yields; empty for a program, whose outputs are given
  // to Finish.
  const std::vector<int32_t>& results() const { return results_; }
  void set_results(absl::Span<const Value> results);
  int32_t value_count() const { return static_cast<int32_t>(values_.size()); }
  const Shape& shape(int32_t value) const { return values_[value].shape; }
  // The index of the node that makes a value.
  int32_t producer(int32_t value) const { return values_[value].node; }
  const ScopeInfo& scope(int32_t id) const { return scopes_[id]; }

  // For passes: the scope that new nodes get. Scope and Rematerialization are
  // the convenient way.
  int32_t current_scope() const { return current_scope_; }
  void set_current_scope(int32_t id) { current_scope_ = id; }
  int32_t ScopeId(const std::string& path, int32_t region);
  int32_t NewCheckpoint() { return checkpoints_++; }

  // For passes that copy what was checked before: appends without checks and
  // returns the id of the first result.
  int32_t Append(OpCode op, std::vector<int32_t> operands,
                 Attributes attributes, Shapes results, int32_t scope);
  // From now on an op that equals an earlier one yields the earlier results.
  void ShareCommonNodes() { sharing_ = true; }

 private:
  struct ValueInfo {
    Shape shape;
    int32_t node;
  };

  int64_t replicas_;
  // Deques, so that references stay good while the graph grows.
  std::deque<Node> nodes_;
  std::deque<ValueInfo> values_;
  std::vector<int32_t> parameters_;  // ids of values
  std::vector<int32_t> results_;     // ids of values
  std::deque<ScopeInfo> scopes_ = {ScopeInfo{}};
  std::map<std::pair<std::string, int32_t>, int32_t> scope_ids_ = {
      {{"", -1}, 0}};
  int32_t current_scope_ = 0;
  int32_t checkpoints_ = 0;
  absl::Status status_;
  bool sharing_ = false;
  absl::flat_hash_map<size_t, std::vector<int32_t>> nodes_by_hash_;
};

// Applies an op to at least one operand, in the operands' graph.
Value Apply(OpCode op, absl::Span<const Value> operands,
            Attributes attributes = NoAttributes{});

// Names what is built during its life: paths end up as locations in StableHLO
// and as op_name in optimized HLO and in profiles.
class Scope {
 public:
  Scope(Graph& graph, absl::string_view name);
  ~Scope() { graph_.set_current_scope(previous_); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Graph& graph_;
  int32_t previous_;
};

// What is built during its life is computed again in the backward pass instead
// of being kept: only values that leave the region, and what enters it, stay in
// memory. Regions do not nest; an inner one is part of the outer.
class Rematerialization {
 public:
  explicit Rematerialization(Graph& graph);
  ~Rematerialization() { graph_.set_current_scope(previous_); }
  Rematerialization(const Rematerialization&) = delete;
  Rematerialization& operator=(const Rematerialization&) = delete;

 private:
  Graph& graph_;
  int32_t previous_;
};

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_GRAPH_H_
