// 3x3 convolutions of stride 1 with a quarter of the multiplications, by
// Winograd's algorithm: images are cut into tiles of 4x4 results, and tiles and
// kernels are transformed so that a tile's product takes 36 multiplications
// (winograd_lines.h). Over many tiles and channels these are 36 products of
// matrices.
//
// Results differ from the plain sum's by about 1e-6 of their norm, three times
// as much as two orders of summation do.

#ifndef XLA_BYOL_KERNELS_WINOGRAD_H_
#define XLA_BYOL_KERNELS_WINOGRAD_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "xla_byol/kernels/convolution_plan.h"

namespace xla_byol::kernels {

// Threads that share a call's work: run(n, f) calls f(0), ..., f(n - 1) in any
// order, on any of them, and returns when all are done.
struct Workers {
  int threads;
  absl::FunctionRef<void(int, absl::FunctionRef<void(int)>)> run;
};

// Whether Winograd computes convolutions of these sizes (and all their
// gradients), and faster than oneDNN; the benchmark in tests/kernels has the
// figures. Decided by sizes and instructions alone.
bool WinogradSuits(const ConvolutionSizes& sizes);

// Of sizes that suit; arrays as for ConvolutionPlan::Run, of the whole batch.
// The bits do not depend on the number of threads. After the first call of
// given sizes nothing is allocated. RESOURCE_EXHAUSTED if memory is short.
absl::Status WinogradConvolution(const ConvolutionSizes& sizes,
                                 const float* lhs, const float* rhs, float* out,
                                 const Workers& workers);

}  // namespace xla_byol::kernels

#endif  // XLA_BYOL_KERNELS_WINOGRAD_H_
