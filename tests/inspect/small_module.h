// A compiled module of four computations, as a plugin would give it: a fused
// convolution, a loop of seven rounds, and an all-reduce of eight replicas.

#ifndef XLA_BYOL_TESTS_INSPECT_SMALL_MODULE_H_
#define XLA_BYOL_TESTS_INSPECT_SMALL_MODULE_H_

#include "xla_byol/pjrt/executable.h"
#include "xla_byol/pjrt/optimized_program.pb.h"

namespace xla_byol {

pjrt::HloModuleProto SmallModule();

// The same in the format "hlo".
pjrt::OptimizedProgram SmallProgram();

}  // namespace xla_byol

#endif  // XLA_BYOL_TESTS_INSPECT_SMALL_MODULE_H_
