#include "xla_byol/pjrt/hlo_text.h"

#include <cstdint>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_byol/pjrt/optimized_program.pb.h"
#include "xla_byol/pjrt/signature.h"

namespace xla_byol::pjrt {
namespace {

using Names = std::map<int64_t, std::string>;

std::string ShapeText(const ShapeProto& shape) {
  if (IsTuple(shape)) {
    return absl::StrCat(
        "(",
        absl::StrJoin(shape.tuple_shapes(), ", ",
                      [](std::string* out, const ShapeProto& element) {
                        out->append(ShapeText(element));
                      }),
        ")");
  }
  const absl::StatusOr<ArraySpec> spec = ReadShape(shape);
  // Tokens, opaque values and the like, which only live inside programs.
  if (!spec.ok()) return absl::StrCat("type", shape.element_type(), "[]");
  std::string text = spec->ToString();
  if (shape.layout().minor_to_major_size() > 0) {
    absl::StrAppend(&text, "{",
                    absl::StrJoin(shape.layout().minor_to_major(), ","), "}");
  }
  return text;
}

std::string OperandText(const HloInstructionProto& instruction,
                        const Names& instructions) {
  if (instruction.opcode() == "parameter") {
    return absl::StrCat(instruction.parameter_number());
  }
  return absl::StrJoin(
      instruction.operand_ids(), ", ", [&](std::string* out, int64_t id) {
        auto found = instructions.find(id);
        absl::StrAppend(
            out, "%",
            found == instructions.end() ? absl::StrCat(id) : found->second);
      });
}

std::string InstructionText(const HloInstructionProto& instruction,
                            const Names& instructions,
                            const Names& computations) {
  std::string text = absl::StrCat(
      "%", instruction.name(), " = ", ShapeText(instruction.shape()), " ",
      instruction.opcode(), "(", OperandText(instruction, instructions), ")");
  if (!instruction.custom_call_target().empty()) {
    absl::StrAppend(&text, ", target=", instruction.custom_call_target());
  }
  if (instruction.opcode() == "get-tuple-element") {
    absl::StrAppend(&text, ", index=", instruction.tuple_index());
  }
  std::vector<std::string> called;
  for (int64_t id : instruction.called_computation_ids()) {
    auto found = computations.find(id);
    called.push_back(found == computations.end() ? absl::StrCat(id)
                                                 : found->second);
  }
  if (!called.empty()) {
    absl::StrAppend(&text, ", calls=", absl::StrJoin(called, ","));
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> HloText(const OptimizedProgram& program) {
  if (program.format == "mlir") return program.code;
  HloModuleProto module;
  if (!ParseModule(program.format, program.code, &module)) {
    return absl::InternalError(absl::StrCat(
        "the compiled program cannot be read from ", program.code.size(),
        " bytes of format '", program.format, "'"));
  }
  Names computations;
  for (const auto& computation : module.computations()) {
    computations[computation.id()] = computation.name();
  }
  std::string text = absl::StrCat("HloModule ", module.name(), "\n");
  for (const auto& computation : module.computations()) {
    Names instructions;
    for (const auto& instruction : computation.instructions()) {
      instructions[instruction.id()] = instruction.name();
    }
    absl::StrAppend(
        &text, "\n",
        computation.name() == module.entry_computation_name() ? "ENTRY " : "",
        computation.name(), " {\n");
    for (const auto& instruction : computation.instructions()) {
      absl::StrAppend(
          &text, instruction.id() == computation.root_id() ? "  ROOT " : "  ",
          InstructionText(instruction, instructions, computations), "\n");
    }
    absl::StrAppend(&text, "}\n");
  }
  return text;
}

}  // namespace xla_byol::pjrt
