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
//     ROOT %add.1 = f32[1024] add(%p0, %p0), op_name="optimizer"
//   }
//
//   ENTRY main {
//     ROOT %fusion = f32[1024]{0:T(1024)} fusion(%x), calls=fused_add,
//         op_name="optimizer", estimated_cycles=292        (one line)
//   }
//
// Instructions stand in the order in which they run. There are names, shapes
// with layouts, tiles and memory spaces, operands, called computations, the
// scope of the source (op_name), and what the cost of an instruction follows
// from: windows and dimension labels of convolutions, contracted dimensions,
// the replicas of a collective (groups x replicas) with the ring that the TPU's
// compiler chose, and the cycles it expects. Most other attributes are left
// out, so no program can read it back: costs are read from the compiler's own
// module (inspect/hlo_program.h).
absl::StatusOr<std::string> HloText(const OptimizedProgram& program);

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_HLO_TEXT_H_
