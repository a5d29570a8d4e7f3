// Moving elements back, and adding up where one element went to several places.

#include <algorithm>

#include "xla_byol/graph/constants.h"
#include "xla_byol/graph/control_flow.h"
#include "xla_byol/graph/elementwise.h"
#include "xla_byol/graph/grad_rules.h"
#include "xla_byol/graph/infer.h"
#include "xla_byol/graph/reduce.h"
#include "xla_byol/graph/shape_ops.h"

namespace xla_byol::graph {
namespace {

Value Zeros(const VjpContext& c, const Shape& shape) {
  return Splat(c.graph(), 0.0, shape);
}

// Operands first, first + 1, ...: the start indices of dynamic slices.
std::vector<Value> Starts(const VjpContext& c, int first) {
  std::vector<Value> starts;
  for (int i = first; i < c.operands(); ++i) starts.push_back(c.operand(i));
  return starts;
}

}  // namespace

void VjpReshape(const VjpContext& c) {
  c.Accumulate(0, Reshape(c.cotangent(), c.operand_shape(0).dims));
}

void VjpBroadcastInDim(const VjpContext& c) {
  const Dims& to = c.attributes<BroadcastAttributes>().broadcast_dimensions;
  const Dims& operand = c.operand_shape(0).dims;
  const Dims& result = c.result_shape().dims;
  // Dimensions of the result that hold different elements of the operand, in
  // the operand's order.
  Dims distinct;
  for (size_t i = 0; i < operand.size(); ++i) {
    if (operand[i] == result[to[i]]) distinct.push_back(to[i]);
  }
  Dims summed;
  for (int64_t axis = 0; axis < c.result_shape().rank(); ++axis) {
    if (std::find(distinct.begin(), distinct.end(), axis) == distinct.end()) {
      summed.push_back(axis);
    }
  }
  Dims sorted = distinct;
  std::sort(sorted.begin(), sorted.end());
  Dims permutation;
  for (int64_t axis : distinct) {
    permutation.push_back(std::find(sorted.begin(), sorted.end(), axis) -
                          sorted.begin());
  }
  Value sum = ReduceSum(c.cotangent(), summed);
  c.Accumulate(0, Reshape(Transpose(sum, permutation), operand));
}

void VjpTranspose(const VjpContext& c) {
  c.Accumulate(0, TransposeTo(c.cotangent(),
                              c.attributes<TransposeAttributes>().permutation));
}

void VjpReverse(const VjpContext& c) {
  c.Accumulate(
      0, Reverse(c.cotangent(), c.attributes<ReverseAttributes>().dimensions));
}

void VjpSlice(const VjpContext& c) {
  const auto& [start, limit, strides] = c.attributes<SliceAttributes>();
  const Dims& operand = c.operand_shape(0).dims;
  const Dims& result = c.result_shape().dims;
  Dims high, interior;
  for (size_t i = 0; i < operand.size(); ++i) {
    high.push_back(operand[i] - start[i] - DilatedSize(result[i], strides[i]));
    interior.push_back(strides[i] - 1);
  }
  Value zero = ScalarLike(c.cotangent(), 0.0);
  c.Accumulate(0, Pad(c.cotangent(), zero, start, high, interior));
}

void VjpPad(const VjpContext& c) {
  const auto& [low, high, interior] = c.attributes<PadAttributes>();
  const Dims& operand = c.operand_shape(0).dims;
  Dims cut_low, cut_high, limit, strides;
  for (size_t i = 0; i < operand.size(); ++i) {
    cut_low.push_back(-low[i]);
    cut_high.push_back(-high[i]);
    strides.push_back(interior[i] + 1);
    limit.push_back(DilatedSize(operand[i], strides[i]));
  }
  Value inner = Pad(c.cotangent(), 0.0, cut_low, cut_high);
  if (inner.dims() != operand) {
    inner = Slice(inner, Dims(operand.size(), 0), limit, strides);
  }
  c.Accumulate(0, inner);
  if (c.required(1)) c.Accumulate(1, Sum(c.cotangent()) - Sum(inner));
}

void VjpConcatenate(const VjpContext& c) {
  const int64_t axis = c.attributes<ConcatenateAttributes>().dimension;
  int64_t start = 0;
  for (int i = 0; i < c.operands(); ++i) {
    const int64_t limit = start + c.operand_shape(i).dims[axis];
    if (c.required(i)) {
      c.Accumulate(i, SliceAxis(c.cotangent(), axis, start, limit));
    }
    start = limit;
  }
}

void VjpDynamicSlice(const VjpContext& c) {
  c.Accumulate(0, DynamicUpdateSlice(Zeros(c, c.operand_shape(0)),
                                     c.cotangent(), Starts(c, 1)));
}

void VjpDynamicUpdateSlice(const VjpContext& c) {
  const std::vector<Value> starts = Starts(c, 2);
  const Shape& update = c.operand_shape(1);
  if (c.required(0)) {
    c.Accumulate(0,
                 DynamicUpdateSlice(c.cotangent(), Zeros(c, update), starts));
  }
  if (c.required(1)) {
    c.Accumulate(1, DynamicSlice(c.cotangent(), starts, update.dims));
  }
}

void VjpTake(const VjpContext& c) {
  const int64_t axis = c.attributes<TakeAttributes>().axis;
  // Take clamps what ScatterAdd would drop.
  const double last = static_cast<double>(c.operand_shape(0).dims[axis] - 1);
  Value indices = Clamp(0.0, c.operand(1), last);
  c.Accumulate(0, ScatterAdd(Zeros(c, c.operand_shape(0)), indices,
                             c.cotangent(), axis));
}

void VjpScatterAdd(const VjpContext& c) {
  const int64_t axis = c.attributes<TakeAttributes>().axis;
  c.Accumulate(0, c.cotangent());
  if (!c.required(2)) return;
  Value indices = c.operand(1);
  const double size = static_cast<double>(c.operand_shape(0).dims[axis]);
  Value inside = Compare(indices, size, Direction::kLt);
  if (IsSigned(indices.dtype())) {
    inside = And(inside, Compare(indices, 0.0, Direction::kGe));
  }
  Value rows = Take(c.cotangent(), indices, axis);
  Value mask = BroadcastInDim(inside, rows.dims(), {axis});
  c.Accumulate(2, Select(mask, rows, ScalarLike(rows, 0.0)));
}

void VjpOptimizationBarrier(const VjpContext& c) {
  for (int i = 0; i < c.operands(); ++i) {
    if (c.cotangent(i).valid()) c.Accumulate(i, c.cotangent(i));
  }
}

}  // namespace xla_byol::graph
