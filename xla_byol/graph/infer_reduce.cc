// Reductions, windows, collectives, control flow and calls.

#include <algorithm>

#include "xla_byol/base/status_macros.h"
#include "xla_byol/graph/graph.h"
#include "xla_byol/graph/infer.h"

namespace xla_byol::graph {
namespace {

// The dimensions of windows over `operand`.
absl::StatusOr<Dims> WindowedDims(const Dims& operand,
                                  const WindowAttributes& attributes) {
  const size_t rank = operand.size();
  RETURN_IF_ERROR(CheckSizes(attributes.window, rank, 1, "window"));
  RETURN_IF_ERROR(CheckSizes(attributes.strides, rank, 1, "strides"));
  RETURN_IF_ERROR(
      CheckSizes(attributes.base_dilation, rank, 1, "base dilation"));
  RETURN_IF_ERROR(
      CheckSizes(attributes.window_dilation, rank, 1, "window dilation"));
  if (attributes.padding.size() != rank) {
    return Invalid("padding has ", attributes.padding.size(), " pairs for ",
                   rank, " dimensions");
  }
  Dims result;
  for (size_t i = 0; i < rank; ++i) {
    const auto& [low, high] = attributes.padding[i];
    const int64_t padded =
        DilatedSize(operand[i], attributes.base_dilation[i]) + low + high;
    const int64_t window =
        DilatedSize(attributes.window[i], attributes.window_dilation[i]);
    const int64_t count = WindowCount(padded, window, attributes.strides[i]);
    if (count == 0) {
      return Invalid("a window of ", window, " does not fit dimension ", i,
                     " of padded size ", padded);
    }
    result.push_back(count);
  }
  return result;
}

absl::Status CheckRegion(const Graph* region, const char* what,
                         const InferInput& input) {
  if (region == nullptr) return Invalid("has no ", what);
  RETURN_IF_ERROR(region->status());
  Shapes parameters;
  for (int32_t id : region->parameters()) {
    parameters.push_back(region->shape(id));
  }
  Shapes state;
  for (const Shape* shape : input.operands) state.push_back(*shape);
  if (parameters != state) {
    return Invalid("the ", what, " takes ", ToString(parameters));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shapes> InferReduce(const InferInput& input,
                                   const ReduceAttributes& attributes) {
  const Shape& operand = input.operand(0);
  RETURN_IF_ERROR(CheckCombiner(attributes.combiner, operand.dtype));
  RETURN_IF_ERROR(  // (C4), (C5)
      CheckAxes(attributes.dimensions, operand.rank(), "dimension"));
  Shape result{operand.dtype, {}};
  for (int64_t i = 0; i < operand.rank(); ++i) {  // (C7)
    const Dims& axes = attributes.dimensions;
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) {
      result.dims.push_back(operand.dims[i]);
    }
  }
  return Shapes{result};
}

absl::StatusOr<Shapes> InferReduceWindow(const InferInput& input,
                                         const WindowAttributes& attributes) {
  const Shape& operand = input.operand(0);
  RETURN_IF_ERROR(CheckCombiner(attributes.combiner, operand.dtype));
  ASSIGN_OR_RETURN(Dims dims,  // (C4) to (C12), (C14), (C15)
                   WindowedDims(operand.dims, attributes));
  return Shapes{{operand.dtype, dims}};
}

absl::StatusOr<Shapes> InferSelectAndScatter(
    const InferInput& input, const SelectAndScatterAttributes& attributes) {
  const Shape& operand = input.operand(0);
  const Dims ones(operand.dims.size(), 1);
  ASSIGN_OR_RETURN(  // (C4) to (C8)
      Dims dims, WindowedDims(operand.dims, {Combiner::kMax, attributes.window,
                                             attributes.strides, ones, ones,
                                             attributes.padding}));
  const Shape source{operand.dtype, dims};
  if (input.operand(1) != source) {  // (C1), (C2)
    return Invalid("the source must be ", source.ToString());
  }
  return Shapes{operand};  // (C11)
}

absl::StatusOr<Shapes> InferAllReduce(const InferInput& input,
                                      const AllReduceAttributes& attributes) {
  RETURN_IF_ERROR(CheckCombiner(attributes.combiner, input.operand(0).dtype));
  const int64_t group = attributes.group;
  if (group < 0 || (group > 0 && input.replicas % group != 0)) {  // (C4)
    return Invalid(input.replicas,
                   " replicas cannot be divided into groups of ", group);
  }
  return Shapes{input.operand(0)};  // (C6)
}

absl::StatusOr<Shapes> InferAllGather(const InferInput& input,
                                      const AllGatherAttributes& attributes) {
  Shape result = input.operand(0);
  RETURN_IF_ERROR(  // (C1)
      CheckAxes({attributes.dimension}, result.rank(), "dimension"));
  result.dims[attributes.dimension] *= input.replicas;  // (C6)
  return Shapes{result};
}

absl::StatusOr<Shapes> InferReduceScatter(
    const InferInput& input, const ReduceScatterAttributes& attributes) {
  Shape result = input.operand(0);
  RETURN_IF_ERROR(  // (C2)
      CheckAxes({attributes.dimension}, result.rank(), "dimension"));
  int64_t& dim = result.dims[attributes.dimension];
  if (dim % input.replicas != 0) {  // (C1)
    return Invalid("dimension ", attributes.dimension, " of size ", dim,
                   " cannot be divided among ", input.replicas, " replicas");
  }
  dim /= input.replicas;
  return Shapes{result};
}

absl::StatusOr<Shapes> InferReplicaId(const InferInput&) {
  return Shapes{{DType::kU32, {}}};
}

absl::StatusOr<Shapes> InferOptimizationBarrier(const InferInput& input) {
  Shapes results;
  for (const Shape* shape : input.operands) results.push_back(*shape);
  return results;  // (C1)
}

absl::StatusOr<Shapes> InferWhile(const InferInput& input,
                                  const WhileAttributes& attributes) {
  RETURN_IF_ERROR(CheckRegion(attributes.condition.get(), "condition", input));
  RETURN_IF_ERROR(CheckRegion(attributes.body.get(), "body", input));
  const auto& condition = attributes.condition->results();
  if (condition.size() != 1 ||
      attributes.condition->shape(condition[0]) != Shape{DType::kPred, {}}) {
    return Invalid("the condition must yield pred[]");  // (C1)
  }
  Shapes results;
  for (const Shape* shape : input.operands) results.push_back(*shape);
  Shapes yielded;
  for (int32_t id : attributes.body->results()) {
    yielded.push_back(attributes.body->shape(id));
  }
  if (yielded != results) {  // (C2), (C3)
    return Invalid("the body yields ", ToString(yielded));
  }
  return results;
}

absl::StatusOr<Shapes> InferCustomCall(const InferInput&,
                                       const CustomCallAttributes& attributes) {
  if (attributes.name.empty())
    return Invalid("calls a function without a name");
  if (attributes.results.empty()) {
    return Invalid("'", attributes.name, "' has no result");
  }
  return attributes.results;
}

}  // namespace xla_byol::graph
