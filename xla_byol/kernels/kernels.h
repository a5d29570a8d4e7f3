// Our own kernels for CPU programs, and whether they can be used here.

#ifndef XLA_BYOL_KERNELS_KERNELS_H_
#define XLA_BYOL_KERNELS_KERNELS_H_

#include <string>
#include <vector>

#include "xla_byol/pjrt/plugin.h"

namespace xla_byol::kernels {

struct Kernels {
  // Custom calls that programs of the plugin may make (graph/backend.h); empty
  // where the plugin, the machine or this build does not allow any.
  std::vector<std::string> custom_calls;
  // For people: "oneDNN 3.2.0 and Winograd's algorithm with AVX-512", or why it
  // is XLA's own code.
  std::string description;
};

// Registers every kernel with the plugin, once per process and plugin; later
// calls return the same. It does not fail: without kernels everything works,
// slower. XLA_BYOL_KERNELS=off in the environment means none, and =onednn
// oneDNN's alone, without Winograd's algorithm (winograd.h).
const Kernels& RegisterKernels(const pjrt::Plugin& plugin);

}  // namespace xla_byol::kernels

#endif  // XLA_BYOL_KERNELS_KERNELS_H_
