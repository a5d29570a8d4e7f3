#include "xla_byol/graph/shape.h"

#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla_byol::graph {

int64_t Shape::elements() const { return Product(dims); }

int64_t Shape::bytes() const {
  Dims all = dims;
  all.push_back(ByteSize(dtype));
  return Product(all);
}

std::string Shape::ToString() const {
  return absl::StrCat(Name(dtype), graph::ToString(dims));
}

std::string Shape::ToMlir() const {
  std::string text = "tensor<";
  for (int64_t dim : dims) absl::StrAppend(&text, dim, "x");
  absl::StrAppend(&text, MlirName(dtype), ">");
  return text;
}

std::string ToString(absl::Span<const Shape> shapes) {
  return absl::StrJoin(shapes, ", ", [](std::string* out, const Shape& shape) {
    absl::StrAppend(out, shape.ToString());
  });
}

std::string ToString(const Dims& dims) {
  return absl::StrCat("[", absl::StrJoin(dims, ","), "]");
}

int64_t Product(const Dims& dims) {
  uint64_t product = 1;  // wraps around for sizes that inference refuses
  for (int64_t dim : dims) product *= static_cast<uint64_t>(dim);
  return static_cast<int64_t>(product);
}

Dims AllAxes(int64_t rank) {
  Dims axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

}  // namespace xla_byol::graph
