// The derivative of each op: Vjp<Name> for each row of the op table that says
// Rule. A rule reads operands, results and cotangents and adds a cotangent to
// each operand that is required; it builds nothing for the others.

#ifndef XLA_BYOL_GRAPH_GRAD_RULES_H_
#define XLA_BYOL_GRAPH_GRAD_RULES_H_

#include <functional>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

class VjpContext {
 public:
  using Read = std::function<Value(int32_t id)>;
  using Add = std::function<void(int32_t operand, Value cotangent)>;

  // `primal` gives a forward value (or its recomputation), `accumulate` takes
  // what operand i gets.
  VjpContext(Graph& graph, const Node& node, std::vector<Value> cotangents,
             std::vector<bool> required, Read primal, Add accumulate)
      : graph_(graph),
        node_(node),
        cotangents_(std::move(cotangents)),
        required_(std::move(required)),
        primal_(std::move(primal)),
        accumulate_(std::move(accumulate)) {}

  int operands() const { return static_cast<int>(node_.operands.size()); }
  // Whether operand i needs a cotangent.
  bool required(int i) const { return required_[i]; }

  // Numbers of the forward pass. In a Rematerialization, asking means
  // recomputing: use the shapes below where they are enough.
  Value operand(int i) const { return primal_(node_.operands[i]); }
  Value result(int i = 0) const { return primal_(node_.first_result + i); }
  const Shape& operand_shape(int i) const {
    return graph_.shape(node_.operands[i]);
  }
  const Shape& result_shape(int i = 0) const {
    return graph_.shape(node_.first_result + i);
  }
  template <typename T>
  const T& attributes() const {
    return *std::get_if<T>(&node_.attributes);
  }

  // Of result i; invalid if nothing flows into it. Ops with one result always
  // have it.
  Value cotangent(int i = 0) const { return cotangents_[i]; }

  // Adds to operand i's cotangent, if it is required.
  void Accumulate(int i, Value cotangent) const {
    if (required_[i]) accumulate_(i, cotangent);
  }
  void Fail(absl::string_view message) const {
    std::vector<Value> operands;
    for (int32_t id : node_.operands) operands.emplace_back(&graph_, id);
    graph_.Fail(InfoOf(node_.op).label(), message, operands);
  }
  Graph& graph() const { return graph_; }

 private:
  Graph& graph_;
  const Node& node_;
  std::vector<Value> cotangents_;
  std::vector<bool> required_;
  Read primal_;
  Add accumulate_;
};

using VjpRule = void (*)(const VjpContext&);

#define XLA_BYOL_DECLARE_Rule(Name) void Vjp##Name(const VjpContext& c);
#define XLA_BYOL_DECLARE_Zero(Name)
#define XLA_BYOL_DECLARE_None(Name)
#define XLA_BYOL_DECLARE(Name, mnemonic, operands, types, inference, \
                         derivative)                                 \
  XLA_BYOL_DECLARE_##derivative(Name)
XLA_BYOL_ALL_OPS(XLA_BYOL_DECLARE)
#undef XLA_BYOL_DECLARE
#undef XLA_BYOL_DECLARE_Rule
#undef XLA_BYOL_DECLARE_Zero
#undef XLA_BYOL_DECLARE_None

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_GRAD_RULES_H_
