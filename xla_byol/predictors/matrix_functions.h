// Functions of square matrices made of matrix products alone, so that a TPU's
// matrix unit does all of the work. Everything is f32 at the highest precision:
// the iterations below lose their fixed point in bf16.
//
// None of them fails on a zero matrix or overflows for entries up to 1e18; a
// NaN or an infinity makes the whole result NaN.

#ifndef XLA_BYOL_PREDICTORS_MATRIX_FUNCTIONS_H_
#define XLA_BYOL_PREDICTORS_MATRIX_FUNCTIONS_H_

#include <cstdint>

#include "xla_byol/graph/ops.h"

namespace xla_byol::predictors {

// a b in full f32.
graph::Value Product(graph::Value a, graph::Value b);

// The f32 identity of the given side.
graph::Value IdentityMatrix(graph::Graph& graph, int64_t side);

// The sum of the diagonal.
graph::Value Trace(graph::Value m);

// This and the other norms are at least 1e-18, so that m may be divided by
// them.
graph::Value FrobeniusNorm(graph::Value m);

// The largest eigenvalue of a symmetric positive semi-definite m, from above:
// |m^(2^k)|_F^(1 / 2^k) with k squarings, too large by at most a factor of
// side^(1 / 2^(k+1)): 1.41 for k = 3 and a side of 256, 1.0007 for k = 12. With
// a gap below the largest eigenvalue the excess vanishes much faster.
graph::Value LargestEigenvalue(graph::Value m, int squarings);

// The largest singular value of any m, by LargestEigenvalue(m^T m).
graph::Value SpectralNorm(graph::Value m, int squarings);

// m^(1/2) and m^(-1/2).
struct SquareRoots {
  graph::Value root;
  graph::Value inverse;
};

// The coupled Newton-Schulz iteration, for a symmetric positive semi-definite
// matrix: A <- A (3I - BA) / 2, B <- (3I - BA) B / 2, from A = m / |m|_F and
// B = I. Three products an iteration; the error of each eigenvalue squares once
// the eigenvalue is near its limit, and small ones grow by 3/2 at a time before
// that. An eigenvalue of 0 stays 0 in the root and grows like (3/2)^n in the
// inverse; the rounding of both around it feeds on the other and grows like
// (9/4)^n, so for a matrix of lower rank n beyond 15 is a loss, and 25 a
// disaster. The zero matrix has the root 0.
SquareRoots NewtonSchulz(graph::Value m, int iterations);

// m^(1/2) by Visser's iteration P <- P + step (m - P P) from I / (2 step); one
// product each, as a loop when there are many. Converges linearly, and only
// while step |P| < 1.
graph::Value Visser(graph::Value m, int iterations, double step);

// The pseudo-inverse of a symmetric positive semi-definite m, by Newton's
// X <- X (2I - m X) from X = m / (largest eigenvalue)^2: two products an
// iteration. Eigenvalue v, relative to the largest, becomes
// (1 - (1 - v^2)^(2^n)) / v: right for v well above 2^(-n/2), and no more than
// 2^n v below, so directions that m lacks stay out instead of exploding.
graph::Value PseudoInverse(graph::Value m, int iterations);

}  // namespace xla_byol::predictors

#endif  // XLA_BYOL_PREDICTORS_MATRIX_FUNCTIONS_H_
