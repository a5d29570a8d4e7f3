// Functions that move elements without computing. Axes may be negative, which
// counts from the last dimension.

#ifndef XLA_BYOL_GRAPH_SHAPE_OPS_H_
#define XLA_BYOL_GRAPH_SHAPE_OPS_H_

#include <vector>

#include "absl/types/span.h"
#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

// One size may be -1: what remains. Row-major order is kept.
Value Reshape(Value x, Dims dims);
// Inserts dimensions of size 1 so that they have these positions in the result.
Value ExpandDims(Value x, Dims axes);
// Operand dimension i becomes dimension broadcast_dimensions[i] of the result;
// sizes 1 stretch.
Value BroadcastInDim(Value x, Dims dims, Dims broadcast_dimensions);
// By NumPy's rules, aligned at the last dimension.
Value BroadcastTo(Value x, Dims dims);
// Dimension i of the result is dimension permutation[i] of x; the default
// reverses all dimensions.
Value Transpose(Value x, Dims permutation);
Value Transpose(Value x);
// The inverse: dimension i of x becomes dimension to[i].
Value TransposeTo(Value x, const Dims& to);
Value Reverse(Value x, Dims axes);

// Elements start, start + stride, ... below limit, for each dimension.
Value Slice(Value x, Dims start, Dims limit, Dims strides);
Value Slice(Value x, Dims start, Dims limit);
// The same for one dimension, all of the others.
Value SliceAxis(Value x, int64_t axis, int64_t start, int64_t limit,
                int64_t stride = 1);
// Adds `value` (a scalar) around and, `interior` times, between elements.
// Negative low and high padding removes elements.
Value Pad(Value x, Value value, Dims low, Dims high, Dims interior);
Value Pad(Value x, double value, Dims low, Dims high);
Value Concatenate(absl::Span<const Value> values, int64_t axis);
// New dimension `axis` that counts the values.
Value Stack(absl::Span<const Value> values, int64_t axis);

// A window of the given sizes; starts are integer scalars, one per dimension,
// and are clamped so that the window fits.
Value DynamicSlice(Value x, absl::Span<const Value> starts, Dims sizes);
// x with `update` written at the starts.
Value DynamicUpdateSlice(Value x, Value update, absl::Span<const Value> starts);
// Rows of `axis` in the order of `indices` (a vector), clamped into range.
Value Take(Value x, Value indices, int64_t axis = 0);
// x with row i of `updates` added to row indices[i] of `axis`; indices out of
// range are dropped.
Value ScatterAdd(Value x, Value indices, Value updates, int64_t axis = 0);

// Negative axes counted from the end; what is out of range stays so, and the op
// that gets it says so.
Dims NormalizeAxes(Dims axes, int64_t rank);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_SHAPE_OPS_H_
