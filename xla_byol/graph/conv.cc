#include "xla_byol/graph/conv.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace xla_byol::graph {

ConvDimensions Conv2dDimensions() {
  return {0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}};
}

Value Conv2d(Value x, Value kernel, const Conv2dOptions& options) {
  if (!x.valid()) return x;
  if (!kernel.valid()) return kernel;
  if (x.rank() != 4 || kernel.rank() != 4) {
    return x.graph()->Fail(
        "conv2d", "takes images [n,h,w,i] and a kernel [h,w,i,o]", {x, kernel});
  }
  const Dims strides(options.strides.begin(), options.strides.end());
  const Dims dilation(options.kernel_dilation.begin(),
                      options.kernel_dilation.end());
  for (int64_t step : {strides[0], strides[1], dilation[0], dilation[1]}) {
    if (step < 1) {
      return x.graph()->Fail(
          "conv2d",
          absl::StrCat("strides ", ToString(strides), " and dilation ",
                       ToString(dilation), " must be positive"),
          {x, kernel});
    }
  }
  const Dims window = {kernel.dim(0), kernel.dim(1)};
  return Convolution(x, kernel,
                     {.dimensions = Conv2dDimensions(),
                      .strides = strides,
                      .padding = options.padding.Resolve(
                          {x.dim(1), x.dim(2)}, window, strides, dilation),
                      .lhs_dilation = {1, 1},
                      .rhs_dilation = dilation,
                      .feature_groups = options.groups,
                      .precision = options.precision});
}

Value Convolution(Value lhs, Value rhs, ConvAttributes attributes) {
  return Apply(OpCode::kConvolution, {lhs, rhs}, std::move(attributes));
}

}  // namespace xla_byol::graph
