#include "xla_byol/graph/convolution_calls.h"

#include <algorithm>
#include <vector>

#include "xla_byol/graph/constants.h"
#include "xla_byol/graph/conv.h"
#include "xla_byol/graph/custom_call.h"
#include "xla_byol/graph/infer.h"
#include "xla_byol/graph/shape_ops.h"

namespace xla_byol::graph {
namespace {

const Dims kOnes = {1, 1};

// The cotangent, spread by the strides, with a kernel whose features have
// changed places.
ConvDimensions InputGradientDimensions() {
  return {0, 3, {1, 2}, 3, 2, {0, 1}, 0, 3, {1, 2}};
}

// Images and cotangent with the batch in the place of the input's features.
ConvDimensions KernelGradientDimensions() {
  return {3, 0, {1, 2}, 0, 3, {1, 2}, 2, 3, {0, 1}};
}

// One spatial dimension of a forward convolution.
struct Extent {
  int64_t images, kernel, result;
  int64_t stride, dilation, low;

  // What has to be added at the end for the result's size; the least that is
  // not negative where strides leave elements over. Empty if that cannot be.
  std::optional<int64_t> High() const {
    const int64_t high =
        (result - 1) * stride + DilatedSize(kernel, dilation) - images - low;
    if (low < 0 || high <= -stride) return std::nullopt;
    return std::max<int64_t>(high, 0);
  }
};

std::optional<ConvolutionCall> Describe(const char* name,
                                        const Extent (&extents)[2]) {
  Dims strides, dilation, padding;
  for (const Extent& extent : extents) {
    const std::optional<int64_t> high = extent.High();
    if (!high.has_value()) return std::nullopt;
    strides.push_back(extent.stride);
    dilation.push_back(extent.dilation);
    padding.push_back(extent.low);
    padding.push_back(*high);
  }
  return ConvolutionCall{
      name,
      {{"strides", strides}, {"dilation", dilation}, {"padding", padding}}};
}

// Whether windows have one element, all of the image's.
bool IsPointwise(const ConvolutionCall& call, const Shape& rhs,
                 const Shape& result) {
  const bool kernel_gradient = call.name == kConvolutionKernelGradientCall;
  const Shape& kernel = kernel_gradient ? result : rhs;
  return kernel.dims[0] == 1 && kernel.dims[1] == 1 &&
         std::get<Dims>(call.config.at("padding")) == Dims{0, 0, 0, 0};
}

Value CallOnDenseImages(Value lhs, Value rhs, const Shape& result,
                        const ConvolutionCall& call, const Dims& strides) {
  CallConfig config = call.config;
  config["strides"] = kOnes;
  if (call.name == kConvolutionInputGradientCall) {
    Shape dense = result;
    Dims high(4, 0), interior(4, 0);
    for (size_t i = 0; i < 2; ++i) {
      dense.dims[i + 1] = lhs.dims()[i + 1];
      interior[i + 1] = strides[i] - 1;
      high[i + 1] =
          result.dims[i + 1] - DilatedSize(dense.dims[i + 1], strides[i]);
    }
    const Value spread =
        CustomCall({lhs, rhs}, {call.name, {dense}, config})[0];
    return Pad(spread, ScalarLike(spread, 0.0), Dims(4, 0), high, interior);
  }
  const Dims& positions =
      call.name == kConvolutionKernelGradientCall ? rhs.dims() : result.dims;
  Dims limit = lhs.dims();
  for (size_t i = 1; i <= 2; ++i) {
    limit[i] = DilatedSize(positions[i], strides[i - 1]);
  }
  const Value dense =
      Slice(lhs, Dims(4, 0), limit, {1, strides[0], strides[1], 1});
  return CustomCall({dense, rhs}, {call.name, {result}, config})[0];
}

}  // namespace

std::optional<ConvolutionCall> ConvolutionCallOf(const Shape& lhs,
                                                 const Shape& rhs,
                                                 const Shape& result,
                                                 const ConvAttributes& a) {
  if (lhs.dtype != DType::kF32 || rhs.dtype != DType::kF32 ||
      a.feature_groups != 1 || a.batch_groups != 1 || lhs.elements() == 0 ||
      rhs.elements() == 0 || result.elements() == 0) {
    return std::nullopt;
  }
  Extent extents[2];
  if (a.dimensions == Conv2dDimensions() && a.lhs_dilation == kOnes) {
    for (size_t i = 0; i < 2; ++i) {
      extents[i] = {lhs.dims[i + 1], rhs.dims[i],       result.dims[i + 1],
                    a.strides[i],    a.rhs_dilation[i], a.padding[i].first};
    }
    return Describe(kConvolutionCall, extents);
  }
  if (a.dimensions == InputGradientDimensions() && a.strides == kOnes) {
    for (size_t i = 0; i < 2; ++i) {
      const int64_t window = DilatedSize(rhs.dims[i], a.rhs_dilation[i]);
      extents[i] = {result.dims[i + 1], rhs.dims[i],
                    lhs.dims[i + 1],    a.lhs_dilation[i],
                    a.rhs_dilation[i],  window - 1 - a.padding[i].first};
    }
    auto call = Describe(kConvolutionInputGradientCall, extents);
    if (call.has_value()) {
      call->reversed_kernel = rhs.dims[0] > 1 || rhs.dims[1] > 1;
    }
    return call;
  }
  if (a.dimensions == KernelGradientDimensions() && a.lhs_dilation == kOnes) {
    for (size_t i = 0; i < 2; ++i) {
      extents[i] = {lhs.dims[i + 1],   result.dims[i], rhs.dims[i + 1],
                    a.rhs_dilation[i], a.strides[i],   a.padding[i].first};
    }
    return Describe(kConvolutionKernelGradientCall, extents);
  }
  return std::nullopt;
}

std::optional<Value> CallConvolution(Value lhs, Value rhs, const Shape& result,
                                     const ConvolutionCall& call) {
  if (call.reversed_kernel) {
    Graph* graph = rhs.graph();
    const Node& node = graph->nodes()[graph->producer(rhs.id())];
    const auto* reverse = std::get_if<ReverseAttributes>(&node.attributes);
    if (reverse == nullptr || reverse->dimensions != Dims{0, 1}) {
      return std::nullopt;
    }
    rhs = Value(graph, node.operands[0]);
  }
  const Dims& strides = std::get<Dims>(call.config.at("strides"));
  if (strides != kOnes && IsPointwise(call, rhs.shape(), result)) {
    return CallOnDenseImages(lhs, rhs, result, call, strides);
  }
  return CustomCall({lhs, rhs}, {call.name, {result}, call.config})[0];
}

}  // namespace xla_byol::graph
