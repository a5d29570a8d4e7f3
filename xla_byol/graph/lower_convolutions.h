// How a convolution is computed: natively, as matrix products where the
// backend's compiler does those better, or by a function outside the compiler
// where the backend has one. Finish applies it to every convolution, gradients
// included.

#ifndef XLA_BYOL_GRAPH_LOWER_CONVOLUTIONS_H_
#define XLA_BYOL_GRAPH_LOWER_CONVOLUTIONS_H_

#include <cstdint>

#include "xla_byol/graph/graph.h"
#include "xla_byol/graph/program.h"

namespace xla_byol::graph {

// What a convolution is for, as far as its shapes and strides tell.
enum class ConvRole : uint8_t {
  kPointwise,        // windows of one element, and the input gradient of such
  kPointwiseKernel,  // the kernel gradient of a pointwise convolution
  kSmallImage,       // windows about as large as the image or the result
  kWindowKernel,     // the kernel gradient of one with larger windows
  kOther,            // everything else: forward windows, groups, ...
};
ConvRole RoleOf(const Shape& lhs, const Shape& rhs, const Shape& result,
                const ConvAttributes& attributes);

enum class ConvLowering : uint8_t {
  kNative,
  kDot,          // one dot_general
  kShiftedDots,  // one dot_general per element of the kernel
  kIm2col,       // all shifted inputs side by side, and one dot_general
  kCustomCall,   // of convolution_calls.h
};
// From the table in lower_convolutions.cc, which
//   tools/bazel run //tests/graph:lowering_benchmark
// measures.
ConvLowering ChooseLowering(const Shape& lhs, const Shape& rhs,
                            const Shape& result,
                            const ConvAttributes& attributes,
                            const Backend& backend);

// The convolution, lowered in the given way; a way that its role does not allow
// falls back to the native one.
Value LowerConvolution(Value lhs, Value rhs, const ConvAttributes& attributes,
                       ConvLowering lowering);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_LOWER_CONVOLUTIONS_H_
