// The parts of XLA's compiled module that its readers take alike: the calling
// signature (signature.h), the text for people (hlo_text.h) and the analysis of
// costs (inspect/hlo_program.h).

#ifndef XLA_BYOL_PJRT_HLO_MODULE_H_
#define XLA_BYOL_PJRT_HLO_MODULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/pjrt/array_spec.h"
#include "xla_byol/pjrt/optimized_program.pb.h"

namespace xla_byol::pjrt {

// Reads the module that PJRT_Executable_OptimizedProgram gives. False for what
// is no such message, and for formats other than "hlo" and "hlo_with_config".
bool ParseModule(const std::string& format, const std::string& code,
                 HloModuleProto* module);

bool IsTuple(const ShapeProto& shape);

// UNIMPLEMENTED for what is no array of a type that we transfer.
absl::StatusOr<ArraySpec> ReadShape(const ShapeProto& shape);

// A computation's instructions in the order in which they run, where the module
// has a schedule; else as they are listed, operands first. The pointers live as
// long as `computation`.
std::vector<const HloInstructionProto*> InOrder(
    const HloModuleProto& module, const HloComputationProto& computation);

// "b01f_01io->b01f": where a convolution's operands and result have batch,
// features and the window's dimensions. Empty if it is no convolution.
std::string DimensionLabels(const HloInstructionProto& instruction);

// Who takes part in a collective; zeros if the instruction does not say.
struct ReplicaGroups {
  int64_t groups = 0;
  int64_t replicas_per_group = 0;
};
ReplicaGroups ReplicaGroupsOf(const HloInstructionProto& instruction);

// What the TPU's compiler expects of an instruction, as it stands in its own
// settings; empty where it says nothing. The views are into `instruction`.
struct CompilerNotes {
  absl::string_view estimated_cycles;  // "940"
  absl::string_view rings;             // of a collective: "4 2"
};
CompilerNotes CompilerNotesOf(const HloInstructionProto& instruction);

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_HLO_MODULE_H_
