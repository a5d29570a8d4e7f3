#include "xla_byol/graph/control_flow.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/graph/constants.h"
#include "xla_byol/graph/elementwise.h"

namespace xla_byol::graph {
namespace {

Graph* GraphOf(absl::Span<const Value> values) {
  for (const Value& value : values) {
    if (value.graph() != nullptr) return value.graph();
  }
  return nullptr;
}

std::shared_ptr<Graph> BuildRegion(Graph& outer, absl::Span<const Value> state,
                                   const RegionBuilder& build) {
  auto region = std::make_shared<Graph>(outer.replicas());
  // Locations and messages inside the loop continue the path outside.
  region->set_current_scope(
      region->ScopeId(outer.scope(outer.current_scope()).path, -1));
  std::vector<Value> parameters;
  for (const Value& value : state) {
    parameters.push_back(region->Parameter(
        absl::StrCat("state", parameters.size()), value.shape()));
  }
  region->set_results(build(*region, parameters));
  outer.Adopt(region->status());
  return region;
}

}  // namespace

std::vector<Value> OptimizationBarrier(absl::Span<const Value> values) {
  Graph* graph = GraphOf(values);
  if (graph == nullptr) return {values.begin(), values.end()};
  return graph->Apply(OpCode::kOptimizationBarrier, values, NoAttributes{},
                      static_cast<int>(values.size()));
}

std::vector<Value> While(absl::Span<const Value> state,
                         const RegionBuilder& condition,
                         const RegionBuilder& body) {
  Graph* graph = GraphOf(state);
  if (graph == nullptr) return {state.begin(), state.end()};
  std::shared_ptr<Graph> condition_region =
      BuildRegion(*graph, state, condition);
  std::shared_ptr<Graph> body_region = BuildRegion(*graph, state, body);
  return graph->Apply(
      OpCode::kWhile, state,
      WhileAttributes{std::move(condition_region), std::move(body_region)},
      static_cast<int>(state.size()));
}

std::vector<Value> Repeat(int64_t count, absl::Span<const Value> state,
                          const LoopBody& body) {
  Graph* graph = GraphOf(state);
  if (graph == nullptr) return {state.begin(), state.end()};
  std::vector<Value> all = {Constant(*graph, 0, DType::kS32)};
  all.insert(all.end(), state.begin(), state.end());
  std::vector<Value> results = While(
      all,
      [count](Graph&, const std::vector<Value>& values) {
        return std::vector<Value>{
            Compare(values[0], static_cast<double>(count), Direction::kLt)};
      },
      [&body](Graph& region, const std::vector<Value>& values) {
        std::vector<Value> next =
            body(region, values[0],
                 std::vector<Value>(values.begin() + 1, values.end()));
        next.insert(next.begin(), values[0] + 1.0);
        return next;
      });
  results.erase(results.begin());
  return results;
}

}  // namespace xla_byol::graph
