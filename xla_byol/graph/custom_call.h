// Calls of functions outside the compiler, for targets that have them
// (backend.h), and the names and meanings of those that lowering makes use of.

#ifndef XLA_BYOL_GRAPH_CUSTOM_CALL_H_
#define XLA_BYOL_GRAPH_CUSTOM_CALL_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

// One value per shape in attributes.results, at least one. Operands and results
// are dense and row-major in memory. Besides `config` the function gets the
// texts "name" and "scope", for its messages. Finish refuses a call that the
// target does not have; there is no derivative.
std::vector<Value> CustomCall(absl::Span<const Value> operands,
                              CustomCallAttributes attributes);

// Convolutions of images [n,h,w,i] with a kernel [h,w,i,o], f32:
//   (images, kernel) -> result
//   (cotangent of the result, kernel) -> cotangent of the images
//   (images, cotangent of the result) -> cotangent of the kernel
// each with the configuration of the first: "strides" and "dilation" (of the
// kernel), 2 integers each, and "padding", 4 integers that are not negative:
// above, below, left, right.
inline constexpr char kConvolutionCall[] = "xla_byol.convolution";
inline constexpr char kConvolutionInputGradientCall[] =
    "xla_byol.convolution_input_gradient";
inline constexpr char kConvolutionKernelGradientCall[] =
    "xla_byol.convolution_kernel_gradient";

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_CUSTOM_CALL_H_
