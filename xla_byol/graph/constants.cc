#include "xla_byol/graph/constants.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xla_byol::graph {

Value Constant(Graph& graph, double value, DType dtype) {
  return Splat(graph, value, {dtype, {}});
}

Value Splat(Graph& graph, double value, const Shape& shape) {
  absl::StatusOr<std::string> element = EncodeElement(shape.dtype, value);
  if (!element.ok()) {
    return graph.Fail("constant", element.status().message());
  }
  return graph.Apply(OpCode::kConstant, {},
                     ConstantAttributes{shape, *std::move(element)})[0];
}

Value ScalarLike(Value x, double value) {
  if (!x.valid()) return x;
  return Constant(*x.graph(), value, x.dtype());
}

Value FullLike(Value x, double value) {
  if (!x.valid()) return x;
  return Splat(*x.graph(), value, x.shape());
}

Value DenseConstantBytes(Graph& graph, const Shape& shape, std::string bytes) {
  if (static_cast<int64_t>(bytes.size()) != shape.bytes()) {
    return graph.Fail("constant",
                      absl::StrCat(shape.ToString(), " has ", shape.bytes(),
                                   " bytes, got ", bytes.size()));
  }
  return graph.Apply(OpCode::kConstant, {},
                     ConstantAttributes{shape, std::move(bytes)})[0];
}

Value Iota(Graph& graph, const Shape& shape, int64_t dimension) {
  return graph.Apply(OpCode::kIota, {}, IotaAttributes{shape, dimension})[0];
}

}  // namespace xla_byol::graph
