// How tests compile whole steps.

#ifndef XLA_BYOL_TESTS_STEP_QUICK_COMPILATION_H_
#define XLA_BYOL_TESTS_STEP_QUICK_COMPILATION_H_

#include <cstdint>

#include "xla_byol/pjrt/compile_options.h"

namespace xla_byol {

// The tests' programs are many and run for an instant: the compiler's expensive
// passes would take most of the time. Only rounding could differ.
inline pjrt::CompileOptions QuickCompilation(int devices) {
  pjrt::CompileOptions options;
  options.num_replicas = devices;
  options.flags["xla_backend_optimization_level"] = int64_t{0};
  options.flags["xla_llvm_disable_expensive_passes"] = true;
  return options;
}

}  // namespace xla_byol

#endif  // XLA_BYOL_TESTS_STEP_QUICK_COMPILATION_H_
