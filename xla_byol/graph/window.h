// Sliding windows: padding rules, and pooling of images in NHWC layout.

#ifndef XLA_BYOL_GRAPH_WINDOW_H_
#define XLA_BYOL_GRAPH_WINDOW_H_

#include <array>
#include <utility>

#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

// How windows treat the border of the two spatial dimensions.
class Padding {
 public:
  // No padding: windows lie inside.
  static Padding Valid() { return Padding(Kind::kValid, {}); }
  // Output size is input size / stride, rounded up; an odd element goes to the
  // end, as in TensorFlow and JAX.
  static Padding Same() { return Padding(Kind::kSame, {}); }
  // The same at all four borders, as in PyTorch.
  static Padding Symmetric(int64_t size) {
    return Explicit({{size, size}, {size, size}});
  }
  static Padding Explicit(PaddingPairs pairs) {
    return Padding(Kind::kExplicit, std::move(pairs));
  }

  // The pairs for given sizes.
  PaddingPairs Resolve(const Dims& input, const Dims& window,
                       const Dims& strides, const Dims& dilation) const;

 private:
  enum class Kind { kValid, kSame, kExplicit };
  Padding(Kind kind, PaddingPairs pairs)
      : kind_(kind), pairs_(std::move(pairs)) {}

  Kind kind_;
  PaddingPairs pairs_;
};

struct Pool2dOptions {
  std::array<int64_t, 2> window = {2, 2};
  std::array<int64_t, 2> strides = {2, 2};
  Padding padding = Padding::Valid();
};

// Of x[n,h,w,c]. Padding never wins.
Value MaxPool2d(Value x, const Pool2dOptions& options);
// Mean over height and width: [n,h,w,c] -> [n,c].
Value GlobalAvgPool2d(Value x);

// The general forms, over all dimensions.
Value ReduceWindow(Value x, WindowAttributes attributes);
// For each window of x the source's element is added where the window's first
// maximum is: the derivative of max pooling.
Value SelectAndScatter(Value x, Value source,
                       SelectAndScatterAttributes attributes);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_WINDOW_H_
