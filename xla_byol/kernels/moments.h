// The moments of graph/custom_call.h: sums of columns and of their squares.

#ifndef XLA_BYOL_KERNELS_MOMENTS_H_
#define XLA_BYOL_KERNELS_MOMENTS_H_

#include "absl/status/status.h"
#include "xla_byol/pjrt/custom_call.h"

namespace xla_byol::kernels {

// One pass over memory. Rows are added up in blocks of a fixed size, whose sums
// are added in double precision and in their order: the bits do not depend on
// the number of threads, and a long column loses no accuracy. After the first
// call of a size nothing is allocated.
absl::Status Moments(const pjrt::CustomCall& call);

}  // namespace xla_byol::kernels

#endif  // XLA_BYOL_KERNELS_MOMENTS_H_
