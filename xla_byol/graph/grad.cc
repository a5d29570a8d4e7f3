#include "xla_byol/graph/grad.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/graph/constants.h"
#include "xla_byol/graph/elementwise.h"
#include "xla_byol/graph/grad_rules.h"
#include "xla_byol/graph/recompute.h"

namespace xla_byol::graph {
namespace {

constexpr VjpRule kRules[] = {
#define XLA_BYOL_RULE_Rule(Name) Vjp##Name
#define XLA_BYOL_RULE_Zero(Name) nullptr
#define XLA_BYOL_RULE_None(Name) nullptr
#define XLA_BYOL_ROW(Name, mnemonic, operands, types, inference, derivative) \
  XLA_BYOL_RULE_##derivative(Name),
    XLA_BYOL_ALL_OPS(XLA_BYOL_ROW)
#undef XLA_BYOL_ROW
#undef XLA_BYOL_RULE_Rule
#undef XLA_BYOL_RULE_Zero
#undef XLA_BYOL_RULE_None
};

// Creation order is topological, so one loop forward finds what depends on the
// variables and one loop backward carries the cotangents.
class Sweep {
 public:
  Sweep(Graph& graph, absl::Span<const Value> wrt)
      : graph_(graph),
        nodes_(static_cast<int32_t>(graph.nodes().size())),
        cotangents_(graph.value_count()),
        depends_(graph.value_count(), false) {
    for (const Value& value : wrt) depends_[value.id()] = true;
    for (const Node& node : graph.nodes()) {
      if (InfoOf(node.op).derivative == Derivative::kZero) continue;
      bool any = false;
      for (int32_t id : node.operands) any = any || depends_[id];
      for (int32_t r = 0; any && r < node.results; ++r) {
        const int32_t id = node.first_result + r;
        if (IsFloat(graph.shape(id).dtype)) depends_[id] = true;
      }
    }
  }

  void Seed(Value output, Value cotangent) {
    if (depends_[output.id()]) Add(output.id(), cotangent);
  }

  void Run() {
    const int32_t scope = graph_.current_scope();
    for (int32_t i = nodes_; i-- > 0 && graph_.status().ok();) Visit(i);
    graph_.set_current_scope(scope);
  }

  Value Result(Value wrt) const {
    const Value cotangent = cotangents_[wrt.id()];
    return cotangent.valid() ? cotangent : FullLike(wrt, 0.0);
  }

 private:
  void Add(int32_t id, Value cotangent) {
    Value& sum = cotangents_[id];
    sum = sum.valid() ? sum + cotangent : cotangent;
  }

  void Visit(int32_t index) {
    const Node& node = graph_.nodes()[index];
    bool reached = false;
    for (int32_t r = 0; r < node.results; ++r) {
      reached = reached || cotangents_[node.first_result + r].valid();
    }
    std::vector<bool> required;
    bool any = false;
    for (int32_t id : node.operands) {
      required.push_back(depends_[id]);
      any = any || depends_[id];
    }
    const OpInfo& info = InfoOf(node.op);
    if (!reached || !any || info.derivative == Derivative::kZero) return;

    const ScopeInfo& scope = graph_.scope(node.scope);
    graph_.set_current_scope(
        graph_.ScopeId(absl::StrCat("gradient/", scope.path), -1));
    Recompute* recompute = nullptr;
    if (scope.region >= 0) {
      recompute =
          &recomputed_
               .try_emplace(scope.region, graph_, scope.region, cotangents_)
               .first->second;
    }
    std::vector<Value> cotangents;
    for (int32_t r = 0; r < node.results; ++r) {
      cotangents.push_back(cotangents_[node.first_result + r]);
    }
    const VjpContext context(
        graph_, node, std::move(cotangents), std::move(required),
        [this, recompute](int32_t id) {
          return recompute != nullptr ? recompute->Get(id) : Value(&graph_, id);
        },
        [this, &node, &info](int32_t operand, Value cotangent) {
          const int32_t id = node.operands[operand];
          const Shape& shape = graph_.shape(id);
          if (cotangent.valid() && cotangent.shape() != shape) {
            graph_.Fail(
                info.label(),
                absl::StrCat("the derivative gives operand ", operand, " of ",
                             shape.ToString(), " a cotangent of another shape"),
                {cotangent});
          }
          if (cotangent.valid() && graph_.status().ok()) Add(id, cotangent);
        });
    const VjpRule rule = kRules[static_cast<int>(node.op)];
    if (rule == nullptr) return context.Fail("has no derivative");
    rule(context);
  }

  Graph& graph_;
  const int32_t nodes_;                      // those before the backward pass
  std::vector<Value> cotangents_;            // by id of value; invalid: none
  std::vector<bool> depends_;                // by id of value
  std::map<int32_t, Recompute> recomputed_;  // by region
};

// Whether all are floats of one graph without errors; fails in the graph.
bool CheckValues(Graph* graph, absl::Span<const Value> values,
                 absl::string_view what) {
  for (const Value& value : values) {
    if (value.graph() != graph) {
      graph->Fail("grad", absl::StrCat(what, " is not a value of this graph"));
      return false;
    }
    if (!value.valid()) return false;
    if (!IsFloat(value.dtype())) {
      graph->Fail("grad", absl::StrCat(what, " must be floats"), {value});
      return false;
    }
  }
  return graph->status().ok();
}

}  // namespace

std::vector<Value> Grad(Value loss, absl::Span<const Value> wrt) {
  if (loss.valid() && loss.rank() != 0) {
    loss = loss.graph()->Fail("grad", "the loss must be a scalar", {loss});
  }
  return Vjp({loss}, {ScalarLike(loss, 1.0)}, wrt);
}

std::vector<Value> Vjp(absl::Span<const Value> outputs,
                       absl::Span<const Value> cotangents,
                       absl::Span<const Value> wrt) {
  Graph* graph = outputs.empty() ? nullptr : outputs[0].graph();
  const std::vector<Value> failed(wrt.size(), Value(graph, -1));
  if (graph == nullptr) return failed;
  if (outputs.size() != cotangents.size()) {
    graph->Fail("grad",
                absl::StrCat("got ", cotangents.size(), " cotangents for ",
                             outputs.size(), " outputs"));
    return failed;
  }
  if (!CheckValues(graph, outputs, "an output") ||
      !CheckValues(graph, cotangents, "a cotangent") ||
      !CheckValues(graph, wrt, "a variable")) {
    return failed;
  }
  Sweep sweep(*graph, wrt);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (cotangents[i].shape() != outputs[i].shape()) {
      graph->Fail("grad", "a cotangent must have its output's shape",
                  {outputs[i], cotangents[i]});
      return failed;
    }
    sweep.Seed(outputs[i], cotangents[i]);
  }
  sweep.Run();
  if (!graph->status().ok()) return failed;
  std::vector<Value> results;
  for (const Value& value : wrt) results.push_back(sweep.Result(value));
  return results;
}

}  // namespace xla_byol::graph
