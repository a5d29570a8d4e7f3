// Values that a program knows when it is built.

#ifndef XLA_BYOL_GRAPH_CONSTANTS_H_
#define XLA_BYOL_GRAPH_CONSTANTS_H_

#include <string>
#include <type_traits>

#include "absl/types/span.h"
#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

// A scalar. A number that the type cannot hold (-1 in u8) is an error.
Value Constant(Graph& graph, double value, DType dtype = DType::kF32);
// Every element of `shape` is `value`; takes no space in the program.
Value Splat(Graph& graph, double value, const Shape& shape);
// A scalar of x's type, and a splat of x's shape and type.
Value ScalarLike(Value x, double value);
Value FullLike(Value x, double value);
// The elements row by row, in the machine's byte order.
Value DenseConstantBytes(Graph& graph, const Shape& shape, std::string bytes);
// 0, 1, 2, ... along one dimension, the same along the others.
Value Iota(Graph& graph, const Shape& shape, int64_t dimension);

template <typename T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, float>) return DType::kF32;
  if constexpr (std::is_same_v<T, double>) return DType::kF64;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kS32;
  if constexpr (std::is_same_v<T, int64_t>) return DType::kS64;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::kU8;
  if constexpr (std::is_same_v<T, uint32_t>) return DType::kU32;
  if constexpr (std::is_same_v<T, uint64_t>) return DType::kU64;
  if constexpr (std::is_same_v<T, bool>) return DType::kPred;
}

// DenseConstant<float>(graph, {2, 2}, {1, 2, 3, 4})
template <typename T>
Value DenseConstant(Graph& graph, Dims dims, absl::Span<const T> elements) {
  return DenseConstantBytes(
      graph, {DTypeOf<T>(), std::move(dims)},
      std::string(reinterpret_cast<const char*>(elements.data()),
                  elements.size() * sizeof(T)));
}

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_CONSTANTS_H_
