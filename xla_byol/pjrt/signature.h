// How a compiled program wants to be called.

#ifndef XLA_BYOL_PJRT_SIGNATURE_H_
#define XLA_BYOL_PJRT_SIGNATURE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_byol/pjrt/array_spec.h"

namespace xla_byol::pjrt {

struct Signature {
  std::vector<ArraySpec> parameters;
  std::vector<ArraySpec> results;
  // For each parameter, whether an execution consumes it: the program aliased
  // it to a result (`tf.aliasing_output`) or gave it away
  // (`jax.buffer_donor`).
  std::vector<bool> donated;

  // "(f32[4] donated, s32[]) -> (f32[4])"
  std::string ToString() const;

  // Reads it from the compiled module that PJRT_Executable_OptimizedProgram
  // gives (`format` "hlo" or "hlo_with_config"). The C API itself only tells
  // results' shapes; and plugins check an argument's size in bytes at most, so
  // without this f32 bits would pass for s32. Costs one serialization of the
  // module when an executable is made, and nothing later.
  static absl::StatusOr<Signature> FromOptimizedProgram(
      const std::string& format, const std::string& code);
};

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_SIGNATURE_H_
