#include "xla_byol/graph/recompute.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/graph/control_flow.h"

namespace xla_byol::graph {
namespace {

// Communication is dearer than the memory of its (small) results.
bool IsCollective(OpCode op) {
  return op == OpCode::kAllReduce || op == OpCode::kAllGather ||
         op == OpCode::kReduceScatter;
}

bool IsConstant(OpCode op) {
  return op == OpCode::kConstant || op == OpCode::kIota;
}

}  // namespace

bool Recompute::InRegion(int32_t id) const {
  const Node& node = graph_.nodes()[graph_.producer(id)];
  return graph_.scope(node.scope).region == checkpoint_ &&
         !IsCollective(node.op);
}

Recompute::Recompute(Graph& graph, int32_t region,
                     std::vector<Value>& cotangents)
    : graph_(graph), checkpoint_(region) {
  std::set<int32_t> entering;
  std::vector<int32_t> with_cotangent;
  for (const Node& node : graph.nodes()) {
    if (graph.scope(node.scope).region != region) continue;
    for (int32_t id : node.operands) {
      const OpCode producer = graph.nodes()[graph.producer(id)].op;
      if (!InRegion(id) && !IsConstant(producer)) entering.insert(id);
    }
    for (int32_t id = node.first_result; id < node.first_result + node.results;
         ++id) {
      if (id < static_cast<int32_t>(cotangents.size()) &&
          cotangents[id].valid()) {
        with_cotangent.push_back(id);
      }
    }
  }
  std::vector<Value> values;
  for (int32_t id : entering) values.emplace_back(&graph, id);
  for (int32_t id : with_cotangent) values.push_back(cotangents[id]);
  const std::vector<Value> passed = OptimizationBarrier(values);
  size_t next = 0;
  for (int32_t id : entering) copies_[id] = passed[next++];
  for (int32_t id : with_cotangent) cotangents[id] = passed[next++];
}

Value Recompute::Get(int32_t id) {
  if (const auto it = copies_.find(id); it != copies_.end()) return it->second;
  if (!InRegion(id)) return Value(&graph_, id);
  const Node& node = graph_.nodes()[graph_.producer(id)];
  std::vector<int32_t> operands;
  for (int32_t operand : node.operands) operands.push_back(Get(operand).id());
  Shapes shapes;
  for (int32_t r = 0; r < node.results; ++r) {
    shapes.push_back(graph_.shape(node.first_result + r));
  }
  const int32_t scope = graph_.ScopeId(
      absl::StrCat("recompute/", graph_.scope(node.scope).path), -1);
  const int32_t first = graph_.Append(
      node.op, std::move(operands), node.attributes, std::move(shapes), scope);
  for (int32_t r = 0; r < node.results; ++r) {
    copies_[node.first_result + r] = Value(&graph_, first + r);
  }
  return copies_[id];
}

}  // namespace xla_byol::graph
