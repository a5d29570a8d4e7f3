#include "xla_byol/graph/describe.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "xla_byol/graph/infer.h"
#include "xla_byol/graph/simplify.h"

namespace xla_byol::graph {
namespace {

std::string FirstParts(absl::string_view path, int depth) {
  size_t end = 0;
  for (int i = 0; i < depth && end != absl::string_view::npos; ++i) {
    end = path.find('/', end == 0 ? 0 : end + 1);
  }
  return std::string(path.substr(0, end));
}

// The scope that a parameter's name implies.
std::string ParentOf(absl::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == absl::string_view::npos ? ""
                                          : std::string(name.substr(0, slash));
}

int64_t Flops(const Graph& graph, const Node& node) {
  const Shape& result = graph.shape(node.first_result);
  auto operand = [&](int i) -> const Shape& {
    return graph.shape(node.operands[i]);
  };
  if (const auto* dot = std::get_if<DotAttributes>(&node.attributes)) {
    int64_t terms = 1;
    for (int64_t axis : dot->lhs_contract) terms *= operand(0).dims[axis];
    return 2 * result.elements() * terms;
  }
  if (const auto* conv = std::get_if<ConvAttributes>(&node.attributes)) {
    const int64_t outputs =
        operand(1).dims[conv->dimensions.kernel_output_feature];
    return 2 * result.elements() * (operand(1).elements() / outputs);
  }
  if (node.op == OpCode::kReduce || node.op == OpCode::kAllReduce ||
      node.op == OpCode::kReduceScatter) {
    return operand(0).elements();
  }
  if (const auto* window = std::get_if<WindowAttributes>(&node.attributes)) {
    return result.elements() * Product(window->window);
  }
  const bool computes = IsElementwise(node.op) || node.op == OpCode::kCompare ||
                        node.op == OpCode::kSelect ||
                        node.op == OpCode::kClamp ||
                        node.op == OpCode::kConvert;
  return computes ? result.elements() : 0;
}

}  // namespace

std::map<std::string, ScopeCost> CostByScope(const Graph& graph,
                                             absl::Span<const Value> outputs,
                                             int depth) {
  std::vector<int32_t> ids;
  for (const Value& value : outputs) {
    if (value.valid() && value.graph() == &graph) ids.push_back(value.id());
  }
  const std::vector<bool> live = LiveNodes(graph, ids);
  std::map<std::string, ScopeCost> costs;
  for (size_t i = 0; i < live.size(); ++i) {
    if (!live[i]) continue;
    const Node& node = graph.nodes()[i];
    int64_t bytes = 0;
    for (int32_t r = 0; r < node.results; ++r) {
      bytes += graph.shape(node.first_result + r).bytes();
    }
    if (const auto* parameter =
            std::get_if<ParameterAttributes>(&node.attributes)) {
      costs[FirstParts(ParentOf(parameter->name), depth)].parameter_bytes +=
          bytes;
      continue;
    }
    ScopeCost& cost = costs[FirstParts(graph.scope(node.scope).path, depth)];
    ++cost.ops;
    cost.flops += Flops(graph, node);
    cost.activation_bytes += bytes;
  }
  return costs;
}

std::string Describe(const Graph& graph, absl::Span<const Value> outputs,
                     int depth) {
  const std::map<std::string, ScopeCost> costs =
      CostByScope(graph, outputs, depth);
  size_t width = 5;
  for (const auto& [path, cost] : costs) width = std::max(width, path.size());
  std::string text = absl::StrFormat(
      "%-*s %7s %12s %14s %15s\n", static_cast<int>(width), "scope", "ops",
      "MFLOP", "parameters KiB", "activations KiB");
  ScopeCost total;
  auto line = [&](absl::string_view path, const ScopeCost& cost) {
    absl::StrAppendFormat(&text, "%-*s %7d %12.3f %14.1f %15.1f\n",
                          static_cast<int>(width), path, cost.ops,
                          static_cast<double>(cost.flops) * 1e-6,
                          static_cast<double>(cost.parameter_bytes) / 1024.0,
                          static_cast<double>(cost.activation_bytes) / 1024.0);
  };
  for (const auto& [path, cost] : costs) {
    line(path.empty() ? "-" : path, cost);
    total.ops += cost.ops;
    total.flops += cost.flops;
    total.parameter_bytes += cost.parameter_bytes;
    total.activation_bytes += cost.activation_bytes;
  }
  line("total", total);
  return text;
}

}  // namespace xla_byol::graph
