// Functions of square matrices made of matrix products alone, so that a TPU's
// matrix unit does all of the work. Everything is f32 at the highest precision:
// the iterations below lose their fixed point in bf16.

#ifndef XLA_BYOL_PREDICTORS_MATRIX_FUNCTIONS_H_
#define XLA_BYOL_PREDICTORS_MATRIX_FUNCTIONS_H_

#include <cstdint>

#include "xla_byol/graph/ops.h"

namespace xla_byol::predictors {

// a b in full f32.
graph::Value Product(graph::Value a, graph::Value b);

// The f32 identity of the given side.
graph::Value IdentityMatrix(graph::Graph& graph, int64_t side);

graph::Value FrobeniusNorm(graph::Value m);

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
// inverse. The zero matrix has the root 0.
SquareRoots NewtonSchulz(graph::Value m, int iterations);

}  // namespace xla_byol::predictors

#endif  // XLA_BYOL_PREDICTORS_MATRIX_FUNCTIONS_H_
