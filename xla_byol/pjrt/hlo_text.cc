#include "xla_byol/pjrt/hlo_text.h"

#include <cstdint>
#include <map>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_byol/pjrt/hlo_module.h"

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
  const LayoutProto& layout = shape.layout();
  if (layout.minor_to_major_size() == 0) return text;
  absl::StrAppend(&text, "{", absl::StrJoin(layout.minor_to_major(), ","));
  if (layout.tiles_size() > 0) absl::StrAppend(&text, ":T");
  for (const TileProto& tile : layout.tiles()) {
    absl::StrAppend(&text, "(", absl::StrJoin(tile.dimensions(), ","), ")");
  }
  if (layout.memory_space() != 0) {
    absl::StrAppend(&text, layout.tiles_size() > 0 ? "" : ":", "S(",
                    layout.memory_space(), ")");
  }
  return text + "}";
}

// size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=2x2; what is usual is left out.
std::string WindowText(const Window& window) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, auto value, const char* usual) {
    const std::string text =
        absl::StrJoin(window.dimensions(), "x",
                      [&](std::string* out, const WindowDimension& dimension) {
                        absl::StrAppend(out, value(dimension));
                      });
    const std::vector<std::string> all(window.dimensions_size(), usual);
    if (text != absl::StrJoin(all, "x")) {
      parts.push_back(absl::StrCat(name, "=", text));
    }
  };
  using Dimension = const WindowDimension&;
  add(
      "size", [](Dimension d) { return absl::StrCat(d.size()); }, "");
  add(
      "stride", [](Dimension d) { return absl::StrCat(d.stride()); }, "1");
  add(
      "pad",
      [](Dimension d) {
        return absl::StrCat(d.padding_low(), "_", d.padding_high());
      },
      "0_0");
  add(
      "lhs_dilate", [](Dimension d) { return absl::StrCat(d.base_dilation()); },
      "1");
  add(
      "rhs_dilate",
      [](Dimension d) { return absl::StrCat(d.window_dilation()); }, "1");
  return absl::StrJoin(parts, " ");
}

std::string OperandText(const HloInstructionProto& instruction,
                        const Names& instructions) {
  if (instruction.opcode() == "parameter") {
    return absl::StrCat(instruction.parameter_number());
  }
  // Small whole numbers: the bounds of loops.
  if (instruction.opcode() == "constant" &&
      instruction.literal().s32s_size() == 1) {
    return absl::StrCat(instruction.literal().s32s(0));
  }
  return absl::StrJoin(
      instruction.operand_ids(), ", ", [&](std::string* out, int64_t id) {
        auto found = instructions.find(id);
        absl::StrAppend(
            out, "%",
            found == instructions.end() ? absl::StrCat(id) : found->second);
      });
}

// What its cost follows from, each with a comma in front.
std::string CostAttributes(const HloInstructionProto& instruction) {
  std::string text;
  const auto add = [&text](absl::string_view name, absl::string_view value,
                           absl::string_view open = "",
                           absl::string_view close = "") {
    if (value.empty()) return;
    absl::StrAppend(&text, ", ", name, "=", open, value, close);
  };
  add("window", WindowText(instruction.window()), "{", "}");
  add("dim_labels", DimensionLabels(instruction));
  if (instruction.has_convolution_dimension_numbers() &&
      instruction.feature_group_count() > 1) {
    add("feature_group_count", absl::StrCat(instruction.feature_group_count()));
  }
  add("lhs_contracting_dims",
      absl::StrJoin(
          instruction.dot_dimension_numbers().lhs_contracting_dimensions(),
          ","),
      "{", "}");
  const ReplicaGroups replicas = ReplicaGroupsOf(instruction);
  if (replicas.groups > 0) {
    add("replicas",
        absl::StrCat(replicas.groups, "x", replicas.replicas_per_group));
  }
  add("op_name", absl::CEscape(instruction.metadata().op_name()), "\"", "\"");
  const CompilerNotes notes = CompilerNotesOf(instruction);
  add("estimated_cycles", notes.estimated_cycles);
  add("rings", notes.rings, "{", "}");
  return text;
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
  absl::StrAppend(&text, CostAttributes(instruction));
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
    for (const HloInstructionProto* instruction :
         InOrder(module, computation)) {
      absl::StrAppend(
          &text, instruction->id() == computation.root_id() ? "  ROOT " : "  ",
          InstructionText(*instruction, instructions, computations), "\n");
    }
    absl::StrAppend(&text, "}\n");
  }
  return text;
}

}  // namespace xla_byol::pjrt
