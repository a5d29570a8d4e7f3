// Compiled programs for people to read.

#ifndef XLA_BYOL_PJRT_HLO_TEXT_H_
#define XLA_BYOL_PJRT_HLO_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "xla_byol/pjrt/executable.h"

namespace xla_byol::pjrt {

// The optimized program as text. The plugins give XLA's protos, not text; this
// prints what one looks for in them, in HLO's manner, one instruction a line:
//
//   HloModule step
//
//   fused_add {
//     %p0 = f32[1024] parameter(0)
//     ROOT %add.1 = f32[1024] add(%p0, %p0)
//   }
//
//   ENTRY main {
//     ROOT %fusion = f32[1024]{0} fusion(%x), calls=fused_add
//   }
//
// Names, shapes with layouts, operands, called computations and custom-call
// targets are there; most attributes (dimension numbers, backend settings) are
// not, so it cannot be parsed back.
absl::StatusOr<std::string> HloText(const OptimizedProgram& program);

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_HLO_TEXT_H_
