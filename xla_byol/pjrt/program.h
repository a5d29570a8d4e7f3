// What Client::Compile and Topology::Compile share.

#ifndef XLA_BYOL_PJRT_PROGRAM_H_
#define XLA_BYOL_PJRT_PROGRAM_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla_byol/pjrt/api.h"

namespace xla_byol::pjrt {

// `program` (StableHLO as text or bytecode) as the C API wants it; points into
// `program`.
Padded<PJRT_Program> MlirProgram(absl::string_view program);

// Names the program in a compiler's error: a plugin says what is wrong, but not
// with which program.
absl::Status CompileError(absl::Status status, absl::string_view program);

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_PROGRAM_H_
