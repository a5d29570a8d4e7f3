#include "xla_byol/graph/simplify.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/graph/lower_collectives.h"
#include "xla_byol/graph/lower_convolutions.h"
#include "xla_byol/graph/lower_reductions.h"
#include "xla_byol/graph/lower_windows.h"

namespace xla_byol::graph {
namespace {

// Ops that are their first operand in a program and need no other.
bool OnlyForGradients(OpCode op) {
  return op == OpCode::kStopGradient || op == OpCode::kWithGradientOf;
}

Simplified Copy(const Graph& graph, absl::Span<const int32_t> outputs,
                const Backend& backend, bool region);

std::shared_ptr<Graph> SimplifyRegion(const Graph& region,
                                      const Backend& backend) {
  Simplified copy = Copy(region, region.results(), backend, /*region=*/true);
  std::vector<Value> results;
  for (int32_t id : copy.outputs) results.emplace_back(copy.graph.get(), id);
  copy.graph->set_results(results);
  return std::move(copy.graph);
}

// What stands for a node in the copy where that is not the node itself.
std::optional<Value> Lower(const Graph& graph, const Node& node,
                           const std::vector<int32_t>& operands,
                           const Backend& backend, Graph& copy) {
  const auto operand = [&](size_t i) { return Value(&copy, operands[i]); };
  if (const auto* conv = std::get_if<ConvAttributes>(&node.attributes)) {
    const ConvLowering lowering = ChooseLowering(
        graph.shape(node.operands[0]), graph.shape(node.operands[1]),
        graph.shape(node.first_result), *conv, backend);
    return LowerConvolution(operand(0), operand(1), *conv, lowering);
  }
  if (const auto* reduce = std::get_if<ReduceAttributes>(&node.attributes)) {
    return LowerReduction(operand(0), *reduce, backend);
  }
  if (const auto* window = std::get_if<WindowAttributes>(&node.attributes)) {
    return LowerReduceWindow(operand(0), graph.shape(node.first_result).dims,
                             *window, backend);
  }
  if (const auto* scatter =
          std::get_if<SelectAndScatterAttributes>(&node.attributes)) {
    return LowerSelectAndScatter(operand(0), operand(1), *scatter, backend);
  }
  return std::nullopt;
}

// ReLU is select(x <= 0, 0, x), and its derivative selects by the same
// condition, so that a compiler may keep both x and the result for the backward
// pass. The result's condition is the same as x's: where a barrier keeps the
// result, it is asked instead.
class ReluMasks {
 public:
  explicit ReluMasks(Graph& copy) : copy_(copy) {}

  // Operands of a select of the copy, changed where it is such a derivative.
  void Visit(const Node& node, std::vector<int32_t>& operands) {
    if (node.op == OpCode::kOptimizationBarrier) {
      kept_.insert(operands.begin(), operands.end());
    }
    if (node.op != OpCode::kSelect) return;
    const Node& condition = Producer(operands[0]);
    const auto* compare = std::get_if<CompareAttributes>(&condition.attributes);
    if (compare == nullptr || compare->direction != Direction::kLe ||
        !IsZero(condition.operands[1]) || !IsZero(operands[1])) {
      return;
    }
    if (operands[2] == condition.operands[0]) {
      relus_.try_emplace(operands[0], copy_.value_count());
      return;
    }
    const auto relu = relus_.find(operands[0]);
    if (relu == relus_.end() || !kept_.contains(relu->second)) return;
    operands[0] =
        copy_.Append(OpCode::kCompare, {relu->second, condition.operands[1]},
                     condition.attributes, {copy_.shape(operands[0])},
                     copy_.current_scope());
  }

 private:
  const Node& Producer(int32_t value) const {
    return copy_.nodes()[static_cast<size_t>(copy_.producer(value))];
  }
  bool IsZero(int32_t value) const {
    const Node* node = &Producer(value);
    if (node->op == OpCode::kBroadcastInDim)
      node = &Producer(node->operands[0]);
    const auto* constant = std::get_if<ConstantAttributes>(&node->attributes);
    return constant != nullptr &&
           constant->data.find_first_not_of('\0') == std::string::npos;
  }

  Graph& copy_;
  absl::flat_hash_map<int32_t, int32_t> relus_;  // by their conditions
  absl::flat_hash_set<int32_t> kept_;
};

void CheckCall(Graph& graph, const CustomCallAttributes& call,
               const std::vector<int32_t>& operands, const Backend& backend) {
  if (backend.CanCall(call.name)) return;
  std::vector<Value> values;
  for (int32_t id : operands) values.emplace_back(&graph, id);
  graph.Fail("custom_call",
             absl::StrCat("this backend does not have '", call.name, "'"),
             values);
}

Simplified Copy(const Graph& graph, absl::Span<const int32_t> outputs,
                const Backend& backend, bool region) {
  std::vector<bool> live = LiveNodes(graph, outputs);
  for (int32_t id : graph.parameters()) live[graph.producer(id)] = true;

  auto copy = std::make_unique<Graph>(graph.replicas() / backend.processes());
  copy->ShareCommonNodes();
  CollectiveLine collectives(backend, *copy);
  if (region) collectives.Forbid();
  ReluMasks masks(*copy);
  std::vector<int32_t> copied(graph.value_count(), -1);  // by id of value
  int sums = 0;
  for (const auto& turn : CollectiveLine::Turns(graph, live, backend)) {
    if (std::exchange(sums, turn.sums) != turn.sums) collectives.Send(copied);
    const Node& node = graph.nodes()[turn.node];
    std::vector<int32_t> operands;
    for (int32_t id : node.operands) operands.push_back(copied[id]);
    if (OnlyForGradients(node.op)) {
      copied[node.first_result] = operands[0];
      continue;
    }
    const int32_t scope = copy->ScopeId(graph.scope(node.scope).path, -1);
    copy->set_current_scope(scope);
    if (collectives.Collect(node, operands)) continue;
    masks.Visit(node, operands);
    std::optional<Value> lowered = collectives.Lower(node, operands);
    if (!lowered.has_value()) {
      lowered = Lower(graph, node, operands, backend, *copy);
    }
    if (lowered.has_value()) {
      copied[node.first_result] = lowered->id();
      continue;
    }
    if (const auto* call =
            std::get_if<CustomCallAttributes>(&node.attributes)) {
      CheckCall(*copy, *call, operands, backend);
    }
    Attributes attributes = node.attributes;
    if (auto* loop = std::get_if<WhileAttributes>(&attributes)) {
      loop->condition = SimplifyRegion(*loop->condition, backend);
      loop->body = SimplifyRegion(*loop->body, backend);
      copy->Adopt(loop->condition->status());
      copy->Adopt(loop->body->status());
    }
    Shapes results;
    for (int32_t r = 0; r < node.results; ++r) {
      results.push_back(graph.shape(node.first_result + r));
    }
    const int32_t first =
        copy->Append(node.op, std::move(operands), std::move(attributes),
                     std::move(results), scope);
    for (int32_t r = 0; r < node.results; ++r) {
      copied[node.first_result + r] = first + r;
    }
  }

  collectives.Send(copied);

  Simplified result{std::move(copy), {}};
  for (int32_t id : outputs) result.outputs.push_back(copied[id]);
  return result;
}

}  // namespace

std::vector<bool> LiveNodes(const Graph& graph,
                            absl::Span<const int32_t> outputs) {
  std::vector<bool> live(graph.nodes().size(), false);
  for (int32_t id : outputs) live[graph.producer(id)] = true;
  for (size_t i = live.size(); i-- > 0;) {
    if (!live[i]) continue;
    const Node& node = graph.nodes()[i];
    for (int32_t id : node.operands) {
      live[graph.producer(id)] = true;
      if (OnlyForGradients(node.op)) break;
    }
  }
  return live;
}

Simplified Simplify(const Graph& graph, absl::Span<const int32_t> outputs,
                    const Backend& backend) {
  return Copy(graph, outputs, backend, /*region=*/false);
}

}  // namespace xla_byol::graph
