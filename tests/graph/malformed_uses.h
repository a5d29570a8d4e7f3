// Wrong uses of ops, with the sentence that each must leave in the graph. The
// rows name the op, so that an op without a row is noticed.

#ifndef XLA_BYOL_TESTS_GRAPH_MALFORMED_USES_H_
#define XLA_BYOL_TESTS_GRAPH_MALFORMED_USES_H_

#include <functional>
#include <string>
#include <vector>

#include "xla_byol/graph/ops.h"

namespace xla_byol::graph {

using Values = std::vector<Value>;

// What the wrong uses are made of.
struct Material {
  explicit Material(Graph& g) : graph(g) {}

  Graph& graph;
  Value scalar = graph.Parameter("scalar", {DType::kF32, {}});
  Value vector = graph.Parameter("vector", {DType::kF32, {5}});
  Value matrix = graph.Parameter("matrix", {DType::kF32, {2, 3}});
  Value half = graph.Parameter("half", {DType::kBF16, {2, 3}});
  Value ints = graph.Parameter("ints", {DType::kS32, {2, 3}});
  Value unsigneds = graph.Parameter("unsigneds", {DType::kU32, {2, 3}});
  Value preds = graph.Parameter("preds", {DType::kPred, {2, 3}});
  Value index = graph.Parameter("index", {DType::kS32, {}});
  Value rows = graph.Parameter("rows", {DType::kS32, {4}});
  Value image = graph.Parameter("image", {DType::kF32, {2, 8, 8, 3}});
  Value kernel = graph.Parameter("kernel", {DType::kF32, {3, 3, 3, 4}});
};

struct Misuse {
  OpCode op;
  std::function<void(Material&)> use;
  std::string message;
};

// For the rows: a use of the material `m`.
#define MALFORMED_USE(expression) [](Material& m) { expression; }

const std::vector<Misuse>& ElementwiseMisuses();
const std::vector<Misuse>& ShapeMisuses();
const std::vector<Misuse>& ReductionMisuses();

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_TESTS_GRAPH_MALFORMED_USES_H_
