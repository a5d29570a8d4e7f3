#include "xla_byol/pjrt/hlo_module.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace xla_byol::pjrt {
namespace {

// XLA's PrimitiveType has PJRT's numbers up to f64 (12), and 16 for bf16.
constexpr int kXlaBf16 = 16;
constexpr int kXlaTuple = 13;

// The text of a JSON string or number after `"key":`; the settings are the
// compiler's own, and regular.
absl::string_view JsonText(absl::string_view json, absl::string_view key) {
  const std::string quoted = absl::StrCat("\"", key, "\":");
  const size_t found = json.find(quoted);
  if (found == absl::string_view::npos) return "";
  json.remove_prefix(found + quoted.size());
  absl::ConsumePrefix(&json, "\"");
  return json.substr(0, json.find_first_of("\",}"));
}

// {dims:2,2 ...}: "2 phases of {4 2}" of the strategy's own description.
absl::string_view RingText(absl::string_view config) {
  constexpr absl::string_view kCores = " cores:{";
  const size_t found = config.find(kCores);
  if (found == absl::string_view::npos) return "";
  config.remove_prefix(found + kCores.size());
  return config.substr(0, config.find('}'));
}

}  // namespace

bool ParseModule(const std::string& format, const std::string& code,
                 HloModuleProto* module) {
  if (format == "hlo") return module->ParseFromString(code);
  OptimizedProgramProto program;
  if (format != "hlo_with_config" || !program.ParseFromString(code)) {
    return false;
  }
  module->Swap(program.mutable_hlo_module());
  return true;
}

bool IsTuple(const ShapeProto& shape) {
  return shape.element_type() == kXlaTuple;
}

absl::StatusOr<ArraySpec> ReadShape(const ShapeProto& shape) {
  ArraySpec spec;
  const int type = shape.element_type();
  if (type >= static_cast<int>(ElementType::kPred) &&
      type <= static_cast<int>(ElementType::kF64)) {
    spec.type = static_cast<ElementType>(type);
  } else if (type == kXlaBf16) {
    spec.type = ElementType::kBf16;
  } else {
    return absl::UnimplementedError(absl::StrCat(
        "the program has an argument or result of XLA's element type ", type,
        ", which we do not transfer"));
  }
  spec.dims.assign(shape.dimensions().begin(), shape.dimensions().end());
  return spec;
}

std::vector<const HloInstructionProto*> InOrder(
    const HloModuleProto& module, const HloComputationProto& computation) {
  std::vector<const HloInstructionProto*> ordered;
  std::map<int64_t, const HloInstructionProto*> by_id;
  for (const auto& instruction : computation.instructions()) {
    ordered.push_back(&instruction);
    by_id[instruction.id()] = &instruction;
  }
  const auto schedule = module.schedule().sequences().find(computation.id());
  if (schedule == module.schedule().sequences().end() ||
      schedule->second.instruction_ids_size() !=
          computation.instructions_size()) {
    return ordered;
  }
  ordered.clear();
  for (const int64_t id : schedule->second.instruction_ids()) {
    const auto found = by_id.find(id);
    if (found != by_id.end()) ordered.push_back(found->second);
  }
  return ordered;
}

std::string DimensionLabels(const HloInstructionProto& instruction) {
  if (!instruction.has_convolution_dimension_numbers()) return "";
  const ConvolutionDimensionNumbers& numbers =
      instruction.convolution_dimension_numbers();
  const auto labels = [](char first, int64_t first_place, char second,
                         int64_t second_place, const auto& spatial) {
    std::string text(static_cast<size_t>(spatial.size()) + 2, '?');
    const auto put = [&text](int64_t place, char label) {
      if (place >= 0 && place < static_cast<int64_t>(text.size())) {
        text[static_cast<size_t>(place)] = label;
      }
    };
    put(first_place, first);
    put(second_place, second);
    char digit = '0';
    for (const int64_t place : spatial) put(place, digit++);
    return text;
  };
  return absl::StrCat(labels('b', numbers.input_batch_dimension(), 'f',
                             numbers.input_feature_dimension(),
                             numbers.input_spatial_dimensions()),
                      "_",
                      labels('i', numbers.kernel_input_feature_dimension(), 'o',
                             numbers.kernel_output_feature_dimension(),
                             numbers.kernel_spatial_dimensions()),
                      "->",
                      labels('b', numbers.output_batch_dimension(), 'f',
                             numbers.output_feature_dimension(),
                             numbers.output_spatial_dimensions()));
}

ReplicaGroups ReplicaGroupsOf(const HloInstructionProto& instruction) {
  const CollectiveDeviceListProto& list = instruction.collective_device_list();
  if (list.has_iota_replica_group_list()) {
    const auto& iota = list.iota_replica_group_list();
    return {iota.num_replica_groups(), iota.num_devices_per_group()};
  }
  const auto& groups = list.replica_groups_size() > 0
                           ? list.replica_groups()
                           : instruction.replica_groups();
  if (groups.empty()) return {};
  return {groups.size(), groups[0].replica_ids_size()};
}

CompilerNotes CompilerNotesOf(const HloInstructionProto& instruction) {
  const std::string& config = instruction.backend_config();
  return {JsonText(config, "estimated_cycles"), RingText(config)};
}

}  // namespace xla_byol::pjrt
