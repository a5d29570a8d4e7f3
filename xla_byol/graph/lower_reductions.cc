#include "xla_byol/graph/lower_reductions.h"

#include <optional>

#include "xla_byol/graph/constants.h"
#include "xla_byol/graph/custom_call.h"
#include "xla_byol/graph/dot.h"
#include "xla_byol/graph/elementwise.h"
#include "xla_byol/graph/reduce.h"
#include "xla_byol/graph/shape_ops.h"

namespace xla_byol::graph {
namespace {

// Shorter columns are cheap and accurate in any way; many groups would make the
// product expensive.
constexpr int64_t kFewestRows = 64;
constexpr int64_t kMostGroups = 4;
constexpr int64_t kMostSlabs = 16;

// A reduction as one over the middle of [groups, rows, columns].
struct Columns {
  int64_t groups = 1, rows = 1, columns = 1;
};

// Only sums of floats over neighbouring dimensions, the last not among them.
bool IsColumnSum(const Shape& shape, const ReduceAttributes& attributes,
                 Columns* columns) {
  const Dims& axes = attributes.dimensions;  // sorted
  if (attributes.combiner != Combiner::kSum || axes.empty()) return false;
  if (shape.dtype != DType::kF32 && shape.dtype != DType::kF64) return false;
  const int64_t first = axes.front(), last = axes.back();
  if (last - first + 1 != static_cast<int64_t>(axes.size())) return false;
  if (last + 1 >= shape.rank()) return false;
  for (int64_t axis = 0; axis < shape.rank(); ++axis) {
    (axis < first   ? columns->groups
     : axis <= last ? columns->rows
                    : columns->columns) *= shape.dims[axis];
  }
  return true;
}

// The most slabs of equal size, 1 if there is no such division.
int64_t SlabCount(int64_t rows) {
  for (int64_t count = kMostSlabs; count > 1; --count) {
    if (rows % count == 0) return count;
  }
  return 1;
}

// [groups, groups * rows]: row g has ones where its group's rows stand.
Value Membership(Graph& graph, DType dtype, int64_t groups, int64_t rows) {
  const Shape shape{dtype, {groups, groups, rows}};
  const Value same =
      Compare(Iota(graph, shape, 0), Iota(graph, shape, 1), Direction::kEq);
  return Reshape(Convert(same, dtype), {groups, groups * rows});
}

// Whether x is in memory whatever becomes of it: a call's result, seen in other
// shapes. Anything else the compiler would compute inside of the sum, where a
// call would have it written and read again.
bool IsInMemory(Value x) {
  const Graph& graph = *x.graph();
  const Node* node = &graph.nodes()[graph.producer(x.id())];
  while (node->op == OpCode::kReshape) {
    node = &graph.nodes()[graph.producer(node->operands[0])];
  }
  return node->op == OpCode::kCustomCall;
}

// Sums of x or of x * x, where batch norm wants both: two equal calls become
// one (Simplify), so that x is read once for both.
std::optional<Value> CallMoments(Value x, const Columns& of) {
  const Graph& graph = *x.graph();
  const Node& node = graph.nodes()[graph.producer(x.id())];
  const bool squares =
      node.op == OpCode::kMultiply && node.operands[0] == node.operands[1];
  if (squares) x = Value(x.graph(), node.operands[0]);
  if (x.dtype() != DType::kF32 || !IsInMemory(x)) return std::nullopt;
  const Shape sums{DType::kF32, {of.groups, of.columns}};
  return CustomCall({Reshape(x, {of.groups, of.rows, of.columns})},
                    {kMomentsCall, {sums, sums}, {}})[squares ? 1 : 0];
}

}  // namespace

Value LowerReduction(Value x, const ReduceAttributes& attributes,
                     const Backend& backend) {
  Columns of;
  if (backend != Backend::kCpu || !IsColumnSum(x.shape(), attributes, &of) ||
      of.rows < kFewestRows || of.groups > kMostGroups || of.columns < 2) {
    return Apply(OpCode::kReduce, {x}, attributes);
  }
  Dims kept = x.dims();
  kept.erase(kept.begin() + attributes.dimensions.front(),
             kept.begin() + attributes.dimensions.back() + 1);
  if (backend.CanCall(kMomentsCall)) {
    const std::optional<Value> called = CallMoments(x, of);
    if (called.has_value()) return Reshape(*called, kept);
  }
  const int64_t slabs = SlabCount(of.rows);
  int64_t rows = of.rows / slabs;
  Value sums = ReduceSum(Reshape(x, {of.groups, slabs, rows, of.columns}), {1});
  // With a single group the product would be one with a vector, for which the
  // compiler goes back to a plain sum: two halves then.
  const int64_t parts = of.groups == 1 && rows % 2 == 0 ? 2 : 1;
  rows /= parts;
  const int64_t groups = of.groups * parts;
  sums = MatMul(Membership(*x.graph(), x.dtype(), groups, rows),
                Reshape(sums, {groups * rows, of.columns}));
  sums = ReduceSum(Reshape(sums, {of.groups, parts, of.columns}), {1});
  return Reshape(sums, kept);
}

}  // namespace xla_byol::graph
