#include "xla_byol/predictors/matrix_functions.h"

namespace xla_byol::predictors {

using graph::Direction;
using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::Value;

Value Product(Value a, Value b) {
  return MatMul(a, b, graph::Precision::kHighest);
}

Value IdentityMatrix(Graph& graph, int64_t side) {
  const Shape shape{DType::kS32, {side, side}};
  return Convert(
      Compare(Iota(graph, shape, 0), Iota(graph, shape, 1), Direction::kEq),
      DType::kF32);
}

Value FrobeniusNorm(Value m) { return Sqrt(Sum(Square(m))); }

SquareRoots NewtonSchulz(Value m, int iterations) {
  // The smallest normal number keeps 0 / 0 out; any other matrix is far above.
  const Value norm = Maximum(FrobeniusNorm(m), 0x1p-126);
  const Value identity = IdentityMatrix(*m.graph(), m.dim(0));
  Value a = m / norm;
  Value b = identity;
  for (int i = 0; i < iterations; ++i) {
    const Value factor = 3.0 * identity - Product(b, a);
    a = 0.5 * Product(a, factor);
    b = 0.5 * Product(factor, b);
  }
  return {a * Sqrt(norm), b / Sqrt(norm)};
}

}  // namespace xla_byol::predictors
