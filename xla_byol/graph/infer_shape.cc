// Ops that move elements without computing.

#include <algorithm>

#include "xla_byol/base/status_macros.h"
#include "xla_byol/graph/infer.h"

namespace xla_byol::graph {
namespace {

// Start indices are scalars of one integer type, one per dimension.
absl::Status CheckStarts(const InferInput& input, size_t first, int64_t rank) {
  const int64_t count = static_cast<int64_t>(input.operands.size() - first);
  if (count != rank) {
    return Invalid("has ", count, " start indices for ", rank, " dimensions");
  }
  for (size_t i = first; i < input.operands.size(); ++i) {
    const Shape& start = input.operand(i);
    if (start.rank() != 0 || !IsInteger(start.dtype) ||
        start.dtype != input.operand(first).dtype) {
      return Invalid("start indices must be integer scalars of one type, got ",
                     start.ToString());
    }
  }
  return absl::OkStatus();
}

absl::Status CheckIndices(const Shape& indices) {
  if (indices.rank() != 1 || !IsInteger(indices.dtype)) {
    return Invalid("indices must be a vector of integers, got ",
                   indices.ToString());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shapes> InferReshape(const InferInput& input,
                                    const ReshapeAttributes& attributes) {
  const Shape result{input.operand(0).dtype, attributes.dims};
  RETURN_IF_ERROR(
      CheckSizes(attributes.dims, attributes.dims.size(), 0, "result"));
  if (result.elements() != input.operand(0).elements()) {  // (C2)
    return Invalid("cannot make ", result.elements(), " elements ",
                   ToString(result.dims), " of ", input.operand(0).elements());
  }
  return Shapes{result};
}

absl::StatusOr<Shapes> InferBroadcastInDim(
    const InferInput& input, const BroadcastAttributes& attributes) {
  const Shape& operand = input.operand(0);
  const Dims& axes = attributes.broadcast_dimensions;
  const Shape result{operand.dtype, attributes.dims};
  RETURN_IF_ERROR(
      CheckSizes(attributes.dims, attributes.dims.size(), 0, "result"));
  if (static_cast<int64_t>(axes.size()) != operand.rank()) {  // (C2)
    return Invalid("broadcast_dimensions ", ToString(axes), " must name ",
                   operand.rank(), " dimensions");
  }
  RETURN_IF_ERROR(  // (C3), (C4)
      CheckAxes(axes, result.rank(), "broadcast dimension"));
  for (int64_t i = 0; i < operand.rank(); ++i) {  // (C5)
    if (operand.dims[i] != 1 && operand.dims[i] != result.dims[axes[i]]) {
      return Invalid("dimension ", i, " of size ", operand.dims[i],
                     " cannot become dimension ", axes[i], " of ",
                     ToString(result.dims));
    }
  }
  return Shapes{result};
}

absl::StatusOr<Shapes> InferTranspose(const InferInput& input,
                                      const TransposeAttributes& attributes) {
  const Shape& operand = input.operand(0);
  const Dims& permutation = attributes.permutation;
  if (static_cast<int64_t>(permutation.size()) != operand.rank()) {  // (C2)
    return Invalid("permutation ", ToString(permutation), " must name ",
                   operand.rank(), " dimensions");
  }
  RETURN_IF_ERROR(CheckAxes(permutation, operand.rank(), "dimension"));
  Shape result{operand.dtype, {}};
  for (int64_t axis : permutation) result.dims.push_back(operand.dims[axis]);
  return Shapes{result};  // (C3)
}

absl::StatusOr<Shapes> InferReverse(const InferInput& input,
                                    const ReverseAttributes& attributes) {
  RETURN_IF_ERROR(CheckAxes(attributes.dimensions, input.operand(0).rank(),
                            "dimension"));  // (C2), (C3)
  return Shapes{input.operand(0)};
}

absl::StatusOr<Shapes> InferSlice(const InferInput& input,
                                  const SliceAttributes& attributes) {
  const auto& [start, limit, strides] = attributes;
  const Shape& operand = input.operand(0);
  const size_t rank = operand.dims.size();
  RETURN_IF_ERROR(CheckSizes(start, rank, 0, "start"));      // (C2), (C3)
  RETURN_IF_ERROR(CheckSizes(limit, rank, 0, "limit"));      // (C2)
  RETURN_IF_ERROR(CheckSizes(strides, rank, 1, "strides"));  // (C2), (C4)
  Shape result{operand.dtype, {}};
  for (size_t i = 0; i < rank; ++i) {
    if (start[i] > limit[i] || limit[i] > operand.dims[i]) {  // (C3)
      return Invalid("cannot take [", start[i], ",", limit[i],
                     ") of dimension ", i, " of size ", operand.dims[i]);
    }
    result.dims.push_back((limit[i] - start[i] + strides[i] - 1) /
                          strides[i]);  // (C5)
  }
  return Shapes{result};
}

absl::StatusOr<Shapes> InferPad(const InferInput& input,
                                const PadAttributes& attributes) {
  const Shape& operand = input.operand(0);
  const Shape& value = input.operand(1);
  const size_t rank = operand.dims.size();
  if (value != Shape{operand.dtype, {}}) {  // (C1)
    return Invalid("the padding value must be a scalar of the operand's type");
  }
  constexpr int64_t kLowest = -(int64_t{1} << 48);
  RETURN_IF_ERROR(CheckSizes(attributes.low, rank, kLowest, "low padding"));
  RETURN_IF_ERROR(CheckSizes(attributes.high, rank, kLowest, "high padding"));
  RETURN_IF_ERROR(  // (C2), (C3)
      CheckSizes(attributes.interior, rank, 0, "interior padding"));
  Shape result{operand.dtype, {}};
  for (size_t i = 0; i < rank; ++i) {
    const int64_t size = DilatedSize(operand.dims[i],
                                     attributes.interior[i] + 1) +
                         attributes.low[i] + attributes.high[i];  // (C4)
    if (size < 0) {
      return Invalid("padding ", attributes.low[i], ", ", attributes.high[i],
                     " makes dimension ", i, " negative");
    }
    result.dims.push_back(size);
  }
  return Shapes{result};
}

absl::StatusOr<Shapes> InferConcatenate(
    const InferInput& input, const ConcatenateAttributes& attributes) {
  if (input.operands.empty()) return Invalid("takes at least one operand");
  Shape result = input.operand(0);
  const int64_t axis = attributes.dimension;
  RETURN_IF_ERROR(CheckAxes({axis}, result.rank(), "dimension"));  // (C4)
  result.dims[axis] = 0;
  for (const Shape* operand : input.operands) {
    Shape rest = *operand;
    if (rest.rank() == result.rank()) rest.dims[axis] = result.dims[axis];
    if (rest != result) {  // (C1), (C2)
      return Invalid("operands must agree but in dimension ", axis);
    }
    result.dims[axis] += operand->dims[axis];  // (C6)
  }
  return Shapes{result};
}

absl::StatusOr<Shapes> InferDynamicSlice(
    const InferInput& input, const DynamicSliceAttributes& attributes) {
  if (input.operands.empty()) return Invalid("takes at least one operand");
  const Shape& operand = input.operand(0);
  RETURN_IF_ERROR(CheckStarts(input, 1, operand.rank()));  // (C2), (C3)
  RETURN_IF_ERROR(                                         // (C2), (C4)
      CheckSizes(attributes.sizes, operand.dims.size(), 0, "sizes"));
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (attributes.sizes[i] > operand.dims[i]) {
      return Invalid("cannot take ", attributes.sizes[i], " of dimension ", i,
                     " of size ", operand.dims[i]);
    }
  }
  return Shapes{{operand.dtype, attributes.sizes}};  // (C5)
}

absl::StatusOr<Shapes> InferDynamicUpdateSlice(const InferInput& input) {
  if (input.operands.size() < 2)
    return Invalid("takes an operand and an update");
  const Shape& operand = input.operand(0);
  const Shape& update = input.operand(1);
  if (update.dtype != operand.dtype || update.rank() != operand.rank()) {
    return Invalid("the update's type or rank differs");  // (C2), (C3)
  }
  RETURN_IF_ERROR(CheckStarts(input, 2, operand.rank()));  // (C4), (C5)
  for (int64_t i = 0; i < operand.rank(); ++i) {           // (C6)
    if (update.dims[i] > operand.dims[i]) {
      return Invalid("the update is larger in dimension ", i);
    }
  }
  return Shapes{operand};
}

absl::StatusOr<Shapes> InferTake(const InferInput& input,
                                 const TakeAttributes& attributes) {
  Shape result = input.operand(0);
  RETURN_IF_ERROR(CheckAxes({attributes.axis}, result.rank(), "axis"));
  RETURN_IF_ERROR(CheckIndices(input.operand(1)));
  if (result.dims[attributes.axis] == 0) {
    return Invalid("cannot take from an empty axis");
  }
  result.dims[attributes.axis] = input.operand(1).dims[0];
  return Shapes{result};
}

absl::StatusOr<Shapes> InferScatterAdd(const InferInput& input,
                                       const TakeAttributes& attributes) {
  const Shape& operand = input.operand(0);
  RETURN_IF_ERROR(CheckAxes({attributes.axis}, operand.rank(), "axis"));
  RETURN_IF_ERROR(CheckIndices(input.operand(1)));
  Shape updates = operand;
  updates.dims[attributes.axis] = input.operand(1).dims[0];
  if (input.operand(2) != updates) {
    return Invalid("updates must be ", updates.ToString());
  }
  return Shapes{operand};
}

}  // namespace xla_byol::graph
