// The static type of a tensor: element type and dimensions.

#ifndef XLA_BYOL_GRAPH_SHAPE_H_
#define XLA_BYOL_GRAPH_SHAPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "xla_byol/graph/dtype.h"

namespace xla_byol::graph {

using Dims = std::vector<int64_t>;

struct Shape {
  DType dtype = DType::kF32;
  Dims dims;  // outermost first; empty for a scalar

  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  int64_t elements() const;
  int64_t bytes() const;

  std::string ToString() const;  // f32[32,224,224,3]
  std::string ToMlir() const;    // tensor<32x224x224x3xf32>

  bool operator==(const Shape&) const = default;
};

using Shapes = std::vector<Shape>;

// `f32[2,3], s32[]`
std::string ToString(absl::Span<const Shape> shapes);
// `[2,3]`
std::string ToString(const Dims& dims);
int64_t Product(const Dims& dims);
// 0, 1, ..., rank - 1.
Dims AllAxes(int64_t rank);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_SHAPE_H_
