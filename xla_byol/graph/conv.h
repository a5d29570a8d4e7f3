// Convolutions. Which way one is computed (natively, as matrix products) is not
// decided here but when the program is finished: see lower_convolutions.h.

#ifndef XLA_BYOL_GRAPH_CONV_H_
#define XLA_BYOL_GRAPH_CONV_H_

#include <array>

#include "xla_byol/graph/graph.h"
#include "xla_byol/graph/window.h"

namespace xla_byol::graph {

struct Conv2dOptions {
  std::array<int64_t, 2> strides = {1, 1};
  Padding padding = Padding::Same();
  std::array<int64_t, 2> kernel_dilation = {1, 1};
  // Input channels are split into groups that do not see each other; the kernel
  // is [h,w,channels/groups,outputs].
  int64_t groups = 1;
  Precision precision = Precision::kDefault;
};

// x[n,h,w,i] * kernel[h,w,i,o] -> [n,h',w',o], a cross-correlation as in all
// machine learning libraries.
Value Conv2d(Value x, Value kernel, const Conv2dOptions& options = {});

// Any number of spatial dimensions in any layout.
Value Convolution(Value lhs, Value rhs, ConvAttributes attributes);

// Images NHWC, kernels HWIO.
ConvDimensions Conv2dDimensions();

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_CONV_H_
