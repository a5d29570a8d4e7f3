// Convolutions as custom calls: which of those in custom_call.h a convolution
// is, gradients included.

#ifndef XLA_BYOL_GRAPH_CONVOLUTION_CALLS_H_
#define XLA_BYOL_GRAPH_CONVOLUTION_CALLS_H_

#include <optional>
#include <string>

#include "xla_byol/graph/attributes.h"
#include "xla_byol/graph/graph.h"
#include "xla_byol/graph/shape.h"

namespace xla_byol::graph {

struct ConvolutionCall {
  std::string name;
  CallConfig config;  // of the forward convolution
  // The convolution has the kernel reversed, the call takes it as it is.
  bool reversed_kernel = false;
};

// Empty for what no call computes: groups, other layouts than NHWC and HWIO,
// other types than f32, cropped images.
std::optional<ConvolutionCall> ConvolutionCallOf(
    const Shape& lhs, const Shape& rhs, const Shape& result,
    const ConvAttributes& attributes);

// The call in place of the convolution of these operands. Windows of one
// element see only the positions that strides leave, which are taken out before
// the call (or spread out after it): dense images are several times faster.
// Empty if the kernel would have to be reversed first, which is never so for
// gradients.
std::optional<Value> CallConvolution(Value lhs, Value rhs, const Shape& result,
                                     const ConvolutionCall& call);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_CONVOLUTION_CALLS_H_
