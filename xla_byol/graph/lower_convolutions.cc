#include "xla_byol/graph/lower_convolutions.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "xla_byol/graph/constants.h"
#include "xla_byol/graph/conv.h"
#include "xla_byol/graph/convolution_calls.h"
#include "xla_byol/graph/dot.h"
#include "xla_byol/graph/infer.h"
#include "xla_byol/graph/shape_ops.h"

namespace xla_byol::graph {
namespace {

// XLA's CPU backend, two cores, ResNet-50's layers: docs/performance.md has the
// figures. What is not listed stays native: kernel gradients of larger windows,
// where neither way with dots was faster, and everything on TPU and GPU.
struct Choice {
  Backend::Platform platform;
  ConvRole role;
  ConvLowering lowering;
};
constexpr Choice kChoices[] = {
    {Backend::kCpu, ConvRole::kPointwise, ConvLowering::kDot},
    {Backend::kCpu, ConvRole::kPointwiseKernel, ConvLowering::kDot},
    // The compiler swaps kernel and image here, and lands in plain loops.
    {Backend::kCpu, ConvRole::kSmallImage, ConvLowering::kIm2col},
};

Dims SizesAt(const Dims& dims, const Dims& axes) {
  Dims sizes;
  for (int64_t axis : axes) sizes.push_back(dims[axis]);
  return sizes;
}

bool AllOnes(const Dims& sizes) {
  return std::all_of(sizes.begin(), sizes.end(),
                     [](int64_t size) { return size == 1; });
}

// A product over features; windows have one element, so that spatial steps can
// be taken before it (strides drop positions) or after it (dilation and padding
// add zeros).
Value PointwiseAsDot(Value lhs, Value rhs, const ConvAttributes& a,
                     const Shape& result) {
  const ConvDimensions& d = a.dimensions;
  const bool spread = !AllOnes(a.lhs_dilation);
  Dims start(lhs.rank(), 0), limit = lhs.dims(), strides(lhs.rank(), 1);
  Dims low(lhs.rank(), 0), high(lhs.rank(), 0), interior(lhs.rank(), 0);
  bool pads = spread;
  for (size_t i = 0; i < a.strides.size(); ++i) {
    const int64_t in = d.input_spatial[i];
    const int64_t out = d.output_spatial[i];
    const auto& [before, after] = a.padding[i];
    if (spread || before > 0 || after > 0) {
      pads = true;
      low[out] = before;
      high[out] = after;
      interior[out] = a.lhs_dilation[i] - 1;
    } else {
      start[in] = -before;
      limit[in] = start[in] + (result.dims[out] - 1) * a.strides[i] + 1;
      strides[in] = a.strides[i];
    }
  }
  lhs = Slice(lhs, start, limit, strides);
  const bool input_first = d.kernel_input_feature < d.kernel_output_feature;
  const int64_t inputs = rhs.dims()[d.kernel_input_feature];
  const int64_t outputs = rhs.dims()[d.kernel_output_feature];
  Value matrix =
      Reshape(rhs, input_first ? Dims{inputs, outputs} : Dims{outputs, inputs});
  Value product = DotGeneral(lhs, matrix,
                             {.lhs_contract = {d.input_feature},
                              .rhs_contract = {input_first ? 0 : 1},
                              .precision = a.precision});
  Dims to;  // where the product's dimensions belong
  for (int64_t axis = 0; axis < lhs.rank(); ++axis) {
    if (axis == d.input_batch) to.push_back(d.output_batch);
    const auto spatial =
        std::find(d.input_spatial.begin(), d.input_spatial.end(), axis);
    if (spatial != d.input_spatial.end()) {
      to.push_back(d.output_spatial[spatial - d.input_spatial.begin()]);
    }
  }
  to.push_back(d.output_feature);
  product = TransposeTo(product, to);
  if (!pads) return product;
  return Pad(product, ScalarLike(product, 0.0), low, high, interior);
}

// What each of a window's `offsets` (row-major) sees of the image: positions
// `step` apart, the first one `shift` further along for each offset.
std::vector<Value> ShiftedInputs(Value lhs, const ConvAttributes& a,
                                 const Dims& offsets, const Dims& shift,
                                 const Dims& positions, const Dims& step) {
  const Dims& axes = a.dimensions.input_spatial;
  Dims low(lhs.rank(), 0), high(lhs.rank(), 0), interior(lhs.rank(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    low[axes[i]] = a.padding[i].first;
    high[axes[i]] = a.padding[i].second;
    interior[axes[i]] = a.lhs_dilation[i] - 1;
  }
  const Value padded = Pad(lhs, ScalarLike(lhs, 0.0), low, high, interior);
  std::vector<Value> seen;
  for (int64_t n = 0; n < Product(offsets); ++n) {
    Dims start(lhs.rank(), 0), limit = padded.dims(), strides(lhs.rank(), 1);
    int64_t rest = n;
    for (size_t i = axes.size(); i-- > 0;) {
      start[axes[i]] = rest % offsets[i] * shift[i];
      limit[axes[i]] = start[axes[i]] + DilatedSize(positions[i], step[i]);
      strides[axes[i]] = step[i];
      rest /= offsets[i];
    }
    seen.push_back(Slice(padded, start, limit, strides));
  }
  return seen;
}

// Cuts off the rows of the kernel that see nothing but padding, as all but the
// middle of a 3x3 kernel over one position do.
Value TrimKernel(const Shape& lhs, Value rhs, const Shape& result,
                 ConvAttributes& a) {
  const ConvDimensions& d = a.dimensions;
  Dims start(rhs.rank(), 0), limit = rhs.dims();
  for (size_t i = 0; i < a.strides.size(); ++i) {
    const int64_t size =
        DilatedSize(lhs.dims[d.input_spatial[i]], a.lhs_dilation[i]);
    const int64_t outputs = result.dims[d.output_spatial[i]];
    auto& [low, high] = a.padding[i];
    const auto sees_image = [&, low = low](int64_t offset) {
      const int64_t first = offset * a.rhs_dilation[i] - low;
      const int64_t last = first + (outputs - 1) * a.strides[i];
      return last >= 0 && first < size;
    };
    int64_t& begin = start[d.kernel_spatial[i]];
    int64_t& end = limit[d.kernel_spatial[i]];
    while (begin + 1 < end && !sees_image(begin)) ++begin;
    while (begin + 1 < end && !sees_image(end - 1)) --end;
    low -= begin * a.rhs_dilation[i];
    high -= (rhs.dims()[d.kernel_spatial[i]] - end) * a.rhs_dilation[i];
  }
  return Slice(rhs, start, limit, Dims(rhs.rank(), 1));
}

// Everything that a window sees side by side as features, times the kernel as
// one matrix.
Value WindowsAsDot(Value lhs, Value rhs, ConvAttributes a,
                   const Shape& result) {
  const ConvDimensions& d = a.dimensions;
  rhs = TrimKernel(lhs.shape(), rhs, result, a);
  const Dims window = SizesAt(rhs.dims(), d.kernel_spatial);
  const std::vector<Value> seen =
      ShiftedInputs(lhs, a, window, a.rhs_dilation,
                    SizesAt(result.dims, d.output_spatial), a.strides);
  const Value patches = Concatenate(seen, d.input_feature);

  // The kernel as [1...,window * inputs,outputs], and the rest is pointwise.
  Dims order = d.kernel_spatial;
  order.push_back(d.kernel_input_feature);
  order.push_back(d.kernel_output_feature);
  Dims dims(window.size(), 1);
  dims.push_back(Product(window) * rhs.dims()[d.kernel_input_feature]);
  dims.push_back(rhs.dims()[d.kernel_output_feature]);
  const int64_t spatial = static_cast<int64_t>(window.size());
  ConvAttributes pointwise = a;
  pointwise.strides.assign(window.size(), 1);
  pointwise.lhs_dilation = pointwise.strides;
  pointwise.rhs_dilation = pointwise.strides;
  pointwise.padding.assign(window.size(), {0, 0});
  for (int64_t i = 0; i < spatial; ++i) {
    pointwise.dimensions.kernel_spatial[static_cast<size_t>(i)] = i;
  }
  pointwise.dimensions.kernel_input_feature = spatial;
  pointwise.dimensions.kernel_output_feature = spatial + 1;
  return PointwiseAsDot(patches, Reshape(Transpose(rhs, order), dims),
                        pointwise, result);
}

// Kernel gradients: for each element of the kernel, input (as it sees it) times
// cotangent, summed over the images and positions.
Value KernelGradientAsDots(Value lhs, Value rhs, const ConvAttributes& a,
                           const Shape& result, ConvLowering lowering) {
  const ConvDimensions& d = a.dimensions;
  const Dims window = SizesAt(result.dims, d.output_spatial);
  // The cotangent stands in the kernel's place.
  std::vector<Value> inputs =
      ShiftedInputs(lhs, a, window, a.strides,
                    SizesAt(rhs.dims(), d.kernel_spatial), a.rhs_dilation);
  const int64_t images = d.input_feature;  // what is summed over
  const int64_t features = d.input_batch;
  if (lowering == ConvLowering::kIm2col) {
    inputs = {Concatenate(inputs, features)};
  }
  DotAttributes dot{.lhs_contract = d.input_spatial,
                    .rhs_contract = d.kernel_spatial,
                    .precision = a.precision};
  dot.lhs_contract.insert(dot.lhs_contract.begin(), images);
  dot.rhs_contract.insert(dot.rhs_contract.begin(), d.kernel_input_feature);
  std::vector<Value> products;  // [features, outputs]
  for (Value input : inputs) products.push_back(DotGeneral(input, rhs, dot));
  Value kernel = Concatenate(products, 0);
  Dims dims = window;  // [window..., features, outputs]
  dims.push_back(lhs.dims()[features]);
  dims.push_back(rhs.dims()[d.kernel_output_feature]);
  Dims to = d.output_spatial;
  to.push_back(d.output_batch);
  to.push_back(d.output_feature);
  return TransposeTo(Reshape(kernel, dims), to);
}

}  // namespace

ConvRole RoleOf(const Shape& lhs, const Shape& rhs, const Shape& result,
                const ConvAttributes& a) {
  const ConvDimensions& d = a.dimensions;
  if (a.feature_groups > 1 || a.batch_groups > 1) return ConvRole::kOther;
  const bool dilated = !AllOnes(a.lhs_dilation);
  if (AllOnes(SizesAt(rhs.dims, d.kernel_spatial))) {
    const bool padded = std::any_of(
        a.padding.begin(), a.padding.end(),
        [](const auto& pair) { return pair.first > 0 || pair.second > 0; });
    const bool strided = !AllOnes(a.strides);
    return strided && (dilated || padded) ? ConvRole::kOther
                                          : ConvRole::kPointwise;
  }
  // At most 2x2 positions on one side: kernel gradients have more on both.
  constexpr int64_t kSmall = 4;
  const Dims window = SizesAt(rhs.dims, d.kernel_spatial);
  const int64_t fewest =
      std::min(Product(SizesAt(lhs.dims, d.input_spatial)),
               Product(SizesAt(result.dims, d.output_spatial)));
  const bool cropped = std::any_of(
      a.padding.begin(), a.padding.end(),
      [](const auto& pair) { return pair.first < 0 || pair.second < 0; });
  if (fewest <= kSmall && Product(window) <= 9 && AllOnes(a.rhs_dilation) &&
      !cropped) {
    return ConvRole::kSmallImage;
  }
  // A kernel gradient has the cotangent as its kernel: windows nearly as large
  // as the image, of which only few fit.
  if (dilated) return ConvRole::kOther;
  bool large = true;
  for (size_t i = 0; i < d.input_spatial.size(); ++i) {
    const int64_t extent =
        DilatedSize(rhs.dims[d.kernel_spatial[i]], a.rhs_dilation[i]);
    large = large && 2 * extent > lhs.dims[d.input_spatial[i]];
  }
  const Dims positions = SizesAt(result.dims, d.output_spatial);
  constexpr int64_t kMostPositions = 64;  // 7x7 kernels, and some room
  if (!large || Product(positions) > kMostPositions ||
      Product(positions) > Product(SizesAt(rhs.dims, d.kernel_spatial))) {
    return ConvRole::kOther;
  }
  return AllOnes(positions) ? ConvRole::kPointwiseKernel
                            : ConvRole::kWindowKernel;
}

ConvLowering ChooseLowering(const Shape& lhs, const Shape& rhs,
                            const Shape& result, const ConvAttributes& a,
                            const Backend& backend) {
  const auto call = ConvolutionCallOf(lhs, rhs, result, a);
  if (call.has_value() && backend.CanCall(call->name)) {
    return ConvLowering::kCustomCall;
  }
  const ConvRole role = RoleOf(lhs, rhs, result, a);
  for (const Choice& choice : kChoices) {
    if (backend == choice.platform && choice.role == role) {
      return choice.lowering;
    }
  }
  return ConvLowering::kNative;
}

Value LowerConvolution(Value lhs, Value rhs, const ConvAttributes& attributes,
                       ConvLowering lowering) {
  const std::vector<const Shape*> operands = {&lhs.shape(), &rhs.shape()};
  const auto result =
      Infer({InfoOf(OpCode::kConvolution), operands, Attributes(attributes)});
  if (!result.ok()) return Convolution(lhs, rhs, attributes);
  const Shape& shape = (*result)[0];
  if (lowering == ConvLowering::kCustomCall) {
    const auto call =
        ConvolutionCallOf(lhs.shape(), rhs.shape(), shape, attributes);
    const std::optional<Value> value =
        call.has_value() ? CallConvolution(lhs, rhs, shape, *call)
                         : std::nullopt;
    return value.has_value() ? *value : Convolution(lhs, rhs, attributes);
  }
  const ConvRole role = RoleOf(lhs.shape(), rhs.shape(), shape, attributes);
  if (role == ConvRole::kPointwise && lowering == ConvLowering::kDot) {
    return PointwiseAsDot(lhs, rhs, attributes, shape);
  }
  if (role == ConvRole::kSmallImage && lowering == ConvLowering::kIm2col) {
    return WindowsAsDot(lhs, rhs, attributes, shape);
  }
  const bool kernel_gradient =
      role == ConvRole::kPointwiseKernel || role == ConvRole::kWindowKernel;
  if (kernel_gradient && lowering != ConvLowering::kNative) {
    return KernelGradientAsDots(lhs, rhs, attributes, shape, lowering);
  }
  return Convolution(lhs, rhs, attributes);
}

}  // namespace xla_byol::graph
