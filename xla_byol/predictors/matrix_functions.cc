#include "xla_byol/predictors/matrix_functions.h"

#include <vector>

namespace xla_byol::predictors {
namespace {

using graph::Direction;
using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::Value;

// Keeps 0 / 0 out. Not smaller: compilers make (m / a) / b into m / (a * b),
// and the product of two of these must not vanish.
constexpr double kSmallestNorm = 1e-18;

// Iterations beyond this many are a loop in the program. Unrolled ones are
// faster to run on a TPU, which overlaps them with other work, but each costs
// compile time.
constexpr int kMaxUnrolled = 25;

// Squarings that bring the bound on an eigenvalue within a factor of 1.41: the
// products they cost are fewer than the iterations that they save.
constexpr int kBoundSquarings = 3;

}  // namespace

Value Product(Value a, Value b) {
  return MatMul(a, b, graph::Precision::kHighest);
}

Value IdentityMatrix(Graph& graph, int64_t side) {
  const Shape shape{DType::kS32, {side, side}};
  return Convert(
      Compare(Iota(graph, shape, 0), Iota(graph, shape, 1), Direction::kEq),
      DType::kF32);
}

Value Trace(Value m) { return Sum(m * IdentityMatrix(*m.graph(), m.dim(0))); }

Value FrobeniusNorm(Value m) {
  // Squares of the entries themselves would overflow above 1e19.
  const Value largest = Maximum(ReduceMax(Abs(m), {0, 1}), kSmallestNorm);
  return Maximum(largest * Sqrt(Sum(Square(m / largest))), kSmallestNorm);
}

Value LargestEigenvalue(Value m, int squarings) {
  std::vector<Value> norms = {FrobeniusNorm(m)};
  for (int i = 0; i < squarings; ++i) {
    m = m / norms.back();
    m = Product(m, m);
    norms.push_back(FrobeniusNorm(m));
  }
  // n0 sqrt(n1 sqrt(n2 ...)): no power ever leaves the range of f32.
  Value eigenvalue = norms.back();
  for (int i = squarings; i-- > 0;) {
    eigenvalue = norms[static_cast<size_t>(i)] * Sqrt(eigenvalue);
  }
  return Maximum(eigenvalue, kSmallestNorm);
}

Value SpectralNorm(Value m, int squarings) {
  const Value scale = FrobeniusNorm(m);
  const Value scaled = m / scale;
  return Maximum(scale * Sqrt(LargestEigenvalue(
                             Product(Transpose(scaled), scaled), squarings)),
                 kSmallestNorm);
}

SquareRoots NewtonSchulz(Value m, int iterations) {
  const Value norm = FrobeniusNorm(m);
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

Value Visser(Value m, int iterations, double step) {
  const auto next = [step](Value p, Value limit) {
    return p + step * (limit - Product(p, p));
  };
  Value p = (0.5 / step) * IdentityMatrix(*m.graph(), m.dim(0));
  if (iterations > kMaxUnrolled) {
    return graph::Repeat(
        iterations, {p, m},
        [&](Graph&, Value, const std::vector<Value>& state) {
          return std::vector<Value>{next(state[0], state[1]), state[1]};
        })[0];
  }
  for (int i = 0; i < iterations; ++i) p = next(p, m);
  return p;
}

Value PseudoInverse(Value m, int iterations) {
  const Value norm = LargestEigenvalue(m, kBoundSquarings);
  const Value identity = IdentityMatrix(*m.graph(), m.dim(0));
  const Value scaled = m / norm;
  Value x = scaled;
  for (int i = 0; i < iterations; ++i) {
    x = Product(x, 2.0 * identity - Product(scaled, x));
  }
  return x / norm;
}

}  // namespace xla_byol::predictors
