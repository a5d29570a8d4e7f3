#include "xla_byol/graph/shape_ops.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/graph/constants.h"

namespace xla_byol::graph {
Dims NormalizeAxes(Dims axes, int64_t rank) {
  for (int64_t& axis : axes) {
    if (axis < 0) axis += rank;
  }
  return axes;
}

Value Reshape(Value x, Dims dims) {
  if (!x.valid()) return x;
  const auto unknown = std::find(dims.begin(), dims.end(), -1);
  if (unknown != dims.end()) {
    *unknown = 1;
    const int64_t known = Product(dims);
    if (known <= 0 || x.shape().elements() % known != 0) {
      *unknown = -1;
      return x.graph()->Fail(
          "reshape", absl::StrCat("no size fits -1 in ", ToString(dims)), {x});
    }
    *unknown = x.shape().elements() / known;
  }
  if (dims == x.dims()) return x;
  return Apply(OpCode::kReshape, {x}, ReshapeAttributes{std::move(dims)});
}

Value ExpandDims(Value x, Dims axes) {
  if (!x.valid()) return x;
  const int64_t rank = x.rank() + static_cast<int64_t>(axes.size());
  axes = NormalizeAxes(std::move(axes), rank);
  std::sort(axes.begin(), axes.end());
  Dims dims = x.dims();
  for (int64_t axis : axes) {
    if (axis < 0 || axis > static_cast<int64_t>(dims.size())) {
      return x.graph()->Fail(
          "expand_dims", absl::StrCat("axis ", axis, " is out of range"), {x});
    }
    dims.insert(dims.begin() + axis, 1);
  }
  return Reshape(x, std::move(dims));
}

Value BroadcastInDim(Value x, Dims dims, Dims broadcast_dimensions) {
  if (x.valid() && dims == x.dims() &&
      broadcast_dimensions == AllAxes(x.rank())) {
    return x;
  }
  return Apply(
      OpCode::kBroadcastInDim, {x},
      BroadcastAttributes{std::move(dims), std::move(broadcast_dimensions)});
}

Value BroadcastTo(Value x, Dims dims) {
  if (!x.valid()) return x;
  const int64_t offset = static_cast<int64_t>(dims.size()) - x.rank();
  Dims axes = AllAxes(x.rank());
  for (int64_t& axis : axes) axis += offset;
  return BroadcastInDim(x, std::move(dims), std::move(axes));
}

Value Transpose(Value x, Dims permutation) {
  permutation = NormalizeAxes(std::move(permutation), x.rank());
  if (x.valid() && permutation == AllAxes(x.rank())) return x;
  return Apply(OpCode::kTranspose, {x},
               TransposeAttributes{std::move(permutation)});
}

Value Transpose(Value x) {
  Dims permutation = AllAxes(x.rank());
  std::reverse(permutation.begin(), permutation.end());
  return Transpose(x, std::move(permutation));
}

Value TransposeTo(Value x, const Dims& to) {
  Dims permutation(to.size(), -1);
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] >= 0 && to[i] < static_cast<int64_t>(to.size())) {
      permutation[to[i]] = static_cast<int64_t>(i);
    }
  }
  return Transpose(x, std::move(permutation));
}

Value Reverse(Value x, Dims axes) {
  if (x.valid() && axes.empty()) return x;
  return Apply(OpCode::kReverse, {x},
               ReverseAttributes{NormalizeAxes(std::move(axes), x.rank())});
}

Value Slice(Value x, Dims start, Dims limit, Dims strides) {
  const Dims zeros(x.rank(), 0), ones(x.rank(), 1);
  if (x.valid() && start == zeros && limit == x.dims() && strides == ones) {
    return x;
  }
  return Apply(
      OpCode::kSlice, {x},
      SliceAttributes{std::move(start), std::move(limit), std::move(strides)});
}

Value Slice(Value x, Dims start, Dims limit) {
  return Slice(x, std::move(start), std::move(limit), Dims(x.rank(), 1));
}

Value SliceAxis(Value x, int64_t axis, int64_t start, int64_t limit,
                int64_t stride) {
  if (!x.valid()) return x;
  axis = axis < 0 ? axis + x.rank() : axis;
  if (axis < 0 || axis >= x.rank()) {
    return x.graph()->Fail("slice",
                           absl::StrCat("there is no dimension ", axis), {x});
  }
  Dims starts(x.rank(), 0), limits = x.dims(), strides(x.rank(), 1);
  starts[axis] = start;
  limits[axis] = limit;
  strides[axis] = stride;
  return Slice(x, std::move(starts), std::move(limits), std::move(strides));
}

Value Pad(Value x, Value value, Dims low, Dims high, Dims interior) {
  const Dims zeros(x.rank(), 0);
  const bool nothing = low == zeros && high == zeros && interior == zeros;
  if (x.valid() && value.valid() && nothing && value.rank() == 0 &&
      value.dtype() == x.dtype()) {
    return x;
  }
  return Apply(
      OpCode::kPad, {x, value},
      PadAttributes{std::move(low), std::move(high), std::move(interior)});
}

Value Pad(Value x, double value, Dims low, Dims high) {
  if (low == Dims(x.rank(), 0) && low == high) return x;
  return Pad(x, ScalarLike(x, value), std::move(low), std::move(high),
             Dims(x.rank(), 0));
}

Value Concatenate(absl::Span<const Value> values, int64_t axis) {
  if (!values.empty() && axis < 0) axis += values[0].rank();
  if (values.size() == 1 && axis >= 0 && axis < values[0].rank()) {
    return values[0];
  }
  return Apply(OpCode::kConcatenate, values, ConcatenateAttributes{axis});
}

Value Stack(absl::Span<const Value> values, int64_t axis) {
  std::vector<Value> rows;
  for (const Value& value : values) rows.push_back(ExpandDims(value, {axis}));
  return Concatenate(rows, axis);
}

Value DynamicSlice(Value x, absl::Span<const Value> starts, Dims sizes) {
  std::vector<Value> operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Apply(OpCode::kDynamicSlice, operands,
               DynamicSliceAttributes{std::move(sizes)});
}

Value DynamicUpdateSlice(Value x, Value update,
                         absl::Span<const Value> starts) {
  std::vector<Value> operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Apply(OpCode::kDynamicUpdateSlice, operands);
}

Value Take(Value x, Value indices, int64_t axis) {
  return Apply(OpCode::kTake, {x, indices},
               TakeAttributes{axis < 0 ? axis + x.rank() : axis});
}

Value ScatterAdd(Value x, Value indices, Value updates, int64_t axis) {
  return Apply(OpCode::kScatterAdd, {x, indices, updates},
               TakeAttributes{axis < 0 ? axis + x.rank() : axis});
}

}  // namespace xla_byol::graph
