// Steps of random programs: elements that move.

#include <algorithm>

#include "tests/graph/fuzz_builder.h"

namespace xla_byol::graph {

void FuzzBuilder::TransposeStep() {
  const int x = PickRanked(2);
  Dims permutation = AllAxes(V(x).rank());
  std::shuffle(permutation.begin(), permutation.end(), rng_);
  if (Below(3) == 0) {
    permutation.resize(1 + Below(static_cast<int>(permutation.size())));
    Record("reverse", {x}, Reverse(V(x), permutation),
           Field("axes", permutation));
    return;
  }
  Record("transpose", {x}, Transpose(V(x), permutation),
         Field("permutation", permutation));
}

void FuzzBuilder::SliceStep() {
  const int x = PickRanked(1);
  Dims start, limit, strides;
  for (int64_t dim : V(x).dims()) {
    start.push_back(Below(static_cast<int>(dim)));
    limit.push_back(start.back() + 1 +
                    Below(static_cast<int>(dim - start.back())));
    strides.push_back(1 + Below(3));
  }
  Record("slice", {x}, Slice(V(x), start, limit, strides),
         Field("start", start) + Field("limit", limit) +
             Field("strides", strides));
}

void FuzzBuilder::PadStep() {
  const int x = PickRanked(1);
  Dims low, high, interior;
  for (int64_t dim : V(x).dims()) {
    low.push_back(Below(3) - (dim > 2 ? 1 : 0));
    high.push_back(Below(3) - (dim > 3 ? 1 : 0));
    interior.push_back(Below(2));
  }
  Value zero = Constant(graph_, 0.25, dtype_);
  Record("pad", {x}, Pad(V(x), zero, low, high, interior),
         Field("low", low) + Field("high", high) + Field("interior", interior));
}

void FuzzBuilder::ConcatenateStep() {
  const int x = PickRanked(1);
  const int axis = Below(static_cast<int>(V(x).rank()));
  Dims dims = V(x).dims();
  dims[axis] = 1 + Below(3);
  const int y = Numbers(dims);
  Record("concatenate", {x, y, x}, Concatenate({V(x), V(y), V(x)}, axis),
         Field("axis", axis));
}

void FuzzBuilder::BroadcastStep() {
  const int x = Pick();
  Dims dims, axes;
  for (int64_t dim : V(x).dims()) {
    if (Below(3) == 0) dims.push_back(1 + Below(2));
    axes.push_back(static_cast<int64_t>(dims.size()));
    dims.push_back(dim == 1 ? 1 + Below(3) : dim);
  }
  dims.push_back(1 + Below(2));
  Record("broadcast_in_dim", {x}, BroadcastInDim(V(x), dims, axes),
         Field("dims", dims) + Field("axes", axes));
}

void FuzzBuilder::DynamicStep() {
  const int x = PickRanked(1);
  Dims sizes, starts;
  std::vector<Value> indices;
  for (int64_t dim : V(x).dims()) {
    sizes.push_back(1 + Below(static_cast<int>(dim)));
    starts.push_back(Below(6) - 1);
    indices.push_back(
        Constant(graph_, static_cast<double>(starts.back()), DType::kS32));
  }
  const std::string fields = Field("sizes", sizes) + Field("starts", starts);
  const int part =
      Record("dynamic_slice", {x}, DynamicSlice(V(x), indices, sizes), fields);
  const int update = Squash(part);
  Record("dynamic_update_slice", {x, update},
         DynamicUpdateSlice(V(x), V(update), indices), fields);
}

void FuzzBuilder::TakeStep() {
  const int x = PickRanked(1);
  const int axis = Below(static_cast<int>(V(x).rank()));
  Dims indices(1 + Below(5));
  std::vector<int32_t> data;
  for (int64_t& index : indices) {
    index = Below(static_cast<int>(V(x).dim(axis)));
    data.push_back(static_cast<int32_t>(index));
  }
  Value rows =
      DenseConstant<int32_t>(graph_, {static_cast<int64_t>(data.size())}, data);
  const std::string fields = Field("indices", indices) + Field("axis", axis);
  const int taken = Record("take", {x}, Take(V(x), rows, axis), fields);
  const int update = Squash(taken);
  Record("scatter_add", {x, update}, ScatterAdd(V(x), rows, V(update), axis),
         fields);
}

}  // namespace xla_byol::graph
