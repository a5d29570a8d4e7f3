// The convolutions of graph/custom_call.h, computed by oneDNN or, where that is
// faster, by Winograd's algorithm (winograd.h).

#ifndef XLA_BYOL_KERNELS_CONVOLUTION_H_
#define XLA_BYOL_KERNELS_CONVOLUTION_H_

#include "absl/status/status.h"
#include "xla_byol/pjrt/custom_call.h"

namespace xla_byol::kernels {

// For oneDNN the batch is divided among the plugin's threads, one part each; a
// kernel's gradient is the sum over the parts in their order. So the same
// machine gives the same bits. After the first call of given sizes nothing is
// allocated here.
absl::Status Convolution(const pjrt::CustomCall& call);
absl::Status ConvolutionInputGradient(const pjrt::CustomCall& call);
absl::Status ConvolutionKernelGradient(const pjrt::CustomCall& call);

}  // namespace xla_byol::kernels

#endif  // XLA_BYOL_KERNELS_CONVOLUTION_H_
