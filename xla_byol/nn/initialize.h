// First values of variables, made on the host.

#ifndef XLA_BYOL_NN_INITIALIZE_H_
#define XLA_BYOL_NN_INITIALIZE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/nn/variables.h"

namespace xla_byol::nn {

// Fills `tensor`, row by row, with the first values of the variable at `path`.
// They depend on the seed, the path and the element's index alone: adding a
// layer changes no other one's weights, and every platform gets the same. A
// square matrix's side follows from the size for the identity.
void InitializeTensor(const Initializer& initializer, uint64_t seed,
                      absl::string_view path, absl::Span<float> tensor);

// The inverse of the standard normal distribution function, for p in (0, 1), to
// about 1e-9 (P. Acklam's rational approximation).
double InverseNormal(double p);

}  // namespace xla_byol::nn

#endif  // XLA_BYOL_NN_INITIALIZE_H_
