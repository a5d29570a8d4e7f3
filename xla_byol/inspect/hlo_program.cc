#include "xla_byol/inspect/hlo_program.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "xla_byol/pjrt/hlo_module.h"

namespace xla_byol {
namespace {

using Places = absl::flat_hash_map<int64_t, int>;  // by id

HloArray ReadArray(const pjrt::ShapeProto& shape) {
  HloArray array;
  const absl::StatusOr<pjrt::ArraySpec> spec = pjrt::ReadShape(shape);
  if (!spec.ok()) {
    array.type = absl::StrCat("type", shape.element_type());
    return array;
  }
  array.type = std::string(pjrt::ElementTypeName(spec->type));
  array.element_bytes = pjrt::ByteWidth(spec->type);
  array.dims.assign(spec->dims.begin(), spec->dims.end());
  const pjrt::LayoutProto& layout = shape.layout();
  // A scalar counts as lying in the large memory, wherever it is.
  if (layout.minor_to_major_size() == 0) return array;
  array.minor_to_major.assign(layout.minor_to_major().begin(),
                              layout.minor_to_major().end());
  if (layout.tiles_size() > 0) {
    const auto& tile = layout.tiles(0).dimensions();
    array.tile.assign(tile.begin(), tile.end());
  }
  array.memory_space = static_cast<int>(layout.memory_space());
  return array;
}

void AddArrays(const pjrt::ShapeProto& shape, std::vector<HloArray>& arrays) {
  if (!pjrt::IsTuple(shape)) {
    arrays.push_back(ReadArray(shape));
    return;
  }
  for (const pjrt::ShapeProto& element : shape.tuple_shapes()) {
    AddArrays(element, arrays);
  }
}

std::vector<HloWindow> ReadWindow(const pjrt::Window& window) {
  std::vector<HloWindow> dimensions;
  for (const pjrt::WindowDimension& dimension : window.dimensions()) {
    dimensions.push_back({.size = dimension.size(),
                          .stride = dimension.stride(),
                          .pad_low = dimension.padding_low(),
                          .pad_high = dimension.padding_high(),
                          .lhs_dilate = dimension.base_dilation(),
                          .rhs_dilate = dimension.window_dilation()});
  }
  return dimensions;
}

// The places of those ids that are known, in order.
template <typename Ids>
std::vector<int> PlacesOf(const Ids& ids, const Places& known) {
  std::vector<int> places;
  for (const int64_t id : ids) {
    const auto found = known.find(id);
    if (found != known.end()) places.push_back(found->second);
  }
  return places;
}

HloInstruction ReadInstruction(const pjrt::HloInstructionProto& proto,
                               const Places& instructions,
                               const Places& computations) {
  HloInstruction instruction;
  instruction.name = proto.name();
  instruction.opcode = proto.opcode();
  AddArrays(proto.shape(), instruction.results);
  instruction.operands = PlacesOf(proto.operand_ids(), instructions);
  instruction.calls = PlacesOf(proto.called_computation_ids(), computations);
  if (proto.opcode() == "constant" && proto.literal().s32s_size() == 1) {
    instruction.constant = proto.literal().s32s(0);
  }
  instruction.op_name = proto.metadata().op_name();
  instruction.target = proto.custom_call_target();
  instruction.dim_labels = pjrt::DimensionLabels(proto);
  instruction.window = ReadWindow(proto.window());
  const auto& contracted =
      proto.dot_dimension_numbers().lhs_contracting_dimensions();
  instruction.lhs_contracting_dims.assign(contracted.begin(), contracted.end());
  const pjrt::CompilerNotes notes = pjrt::CompilerNotesOf(proto);
  int64_t cycles = 0;
  if (absl::SimpleAtoi(notes.estimated_cycles, &cycles)) {
    instruction.estimated_cycles = static_cast<double>(cycles);
  }
  instruction.rings = std::string(notes.rings);
  instruction.replicas_per_group =
      pjrt::ReplicaGroupsOf(proto).replicas_per_group;
  return instruction;
}

HloComputation ReadComputation(const pjrt::HloModuleProto& module,
                               const pjrt::HloComputationProto& proto,
                               const Places& computations) {
  HloComputation computation{proto.name(), {}};
  Places instructions;
  for (const auto* instruction : pjrt::InOrder(module, proto)) {
    const int place = static_cast<int>(computation.instructions.size());
    computation.instructions.push_back(
        ReadInstruction(*instruction, instructions, computations));
    instructions[instruction->id()] = place;
  }
  return computation;
}

}  // namespace

int64_t HloArray::elements() const {
  int64_t product = 1;
  for (const int64_t dim : dims) product *= dim;
  return product;
}

int64_t HloArray::bytes() const { return elements() * element_bytes; }

int64_t HloArray::padded_bytes() const {
  std::vector<int64_t> padded = dims;
  // The tile's last dimension goes with the most minor one, and so on.
  const size_t tiled =
      std::min({tile.size(), minor_to_major.size(), padded.size()});
  for (size_t i = 0; i < tiled; ++i) {
    const int64_t unit = tile[tile.size() - 1 - i];
    const size_t axis = static_cast<size_t>(minor_to_major[i]);
    if (unit < 1 || axis >= padded.size()) continue;
    padded[axis] = (padded[axis] + unit - 1) / unit * unit;
  }
  int64_t product = element_bytes;
  for (const int64_t dim : padded) product *= dim;
  return product;
}

std::string HloArray::ToString() const {
  return absl::StrCat(type, "[", absl::StrJoin(dims, ","), "]");
}

absl::StatusOr<HloProgram> ReadHloProgram(
    const pjrt::OptimizedProgram& optimized) {
  if (optimized.format == "mlir") {
    return absl::UnimplementedError(
        "the plugin gives the compiled program as text: its costs cannot be "
        "told");
  }
  pjrt::HloModuleProto module;
  if (!pjrt::ParseModule(optimized.format, optimized.code, &module)) {
    return absl::InternalError(absl::StrCat(
        "the compiled program cannot be read from ", optimized.code.size(),
        " bytes of format '", optimized.format, "'"));
  }
  HloProgram program;
  program.name = module.name();
  Places computations;
  for (const auto& computation : module.computations()) {
    const int place = static_cast<int>(computations.size());
    if (computation.name() == module.entry_computation_name()) {
      program.entry = place;
    }
    computations[computation.id()] = place;
  }
  if (program.entry < 0) {
    return absl::InternalError(
        absl::StrCat("the compiled program has no entry computation '",
                     module.entry_computation_name(), "'"));
  }
  for (const auto& computation : module.computations()) {
    program.computations.push_back(
        ReadComputation(module, computation, computations));
  }
  return program;
}

absl::string_view CollectiveKind(absl::string_view opcode) {
  absl::ConsumeSuffix(&opcode, "-start");
  for (const absl::string_view kind :
       {"all-reduce", "all-gather", "reduce-scatter", "all-to-all",
        "collective-permute", "collective-broadcast"}) {
    if (opcode == kind) return kind;
  }
  return "";
}

}  // namespace xla_byol
