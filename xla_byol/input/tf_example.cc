#include "xla_byol/input/tf_example.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::input {
namespace {

enum WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kFixed32 = 5,
};

enum FeatureKind : uint32_t { kBytesList = 1, kFloatList = 2, kInt64List = 3 };

absl::Status Malformed(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("not a tf.Example: ", what));
}

// Takes one varint off the front; nullopt if it does not end.
std::optional<uint64_t> TakeVarint(absl::string_view& bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

struct Field {
  uint32_t number = 0;
  uint32_t wire_type = 0;
  uint64_t varint = 0;
  absl::string_view bytes;
};

absl::StatusOr<Field> TakeField(absl::string_view& message) {
  const std::optional<uint64_t> tag = TakeVarint(message);
  if (!tag.has_value() || *tag >> 32 != 0 || *tag >> 3 == 0) {
    return Malformed("bad field tag");
  }
  Field field;
  field.number = static_cast<uint32_t>(*tag >> 3);
  field.wire_type = static_cast<uint32_t>(*tag & 7);
  uint64_t size = 0;
  switch (field.wire_type) {
    case kVarint: {
      const std::optional<uint64_t> value = TakeVarint(message);
      if (!value.has_value()) return Malformed("bad varint");
      field.varint = *value;
      return field;
    }
    case kFixed64:
      size = 8;
      break;
    case kFixed32:
      size = 4;
      break;
    case kBytes: {
      const std::optional<uint64_t> length = TakeVarint(message);
      if (!length.has_value()) return Malformed("bad length");
      size = *length;
      break;
    }
    default:
      return Malformed(absl::StrCat("wire type ", field.wire_type));
  }
  if (size > message.size()) return Malformed("a field ends beyond the record");
  field.bytes = message.substr(0, size);
  message.remove_prefix(size);
  return field;
}

absl::Status VisitMapEntry(
    absl::string_view entry,
    absl::FunctionRef<void(absl::string_view, absl::string_view)> visit) {
  absl::string_view name;
  absl::string_view feature;
  while (!entry.empty()) {
    ASSIGN_OR_RETURN(const Field field, TakeField(entry));
    if (field.wire_type != kBytes) continue;
    if (field.number == 1) name = field.bytes;
    if (field.number == 2) feature = field.bytes;
  }
  visit(name, feature);
  return absl::OkStatus();
}

// The list inside a Feature, if it is of the wanted kind.
absl::StatusOr<absl::string_view> ListOfKind(absl::string_view feature,
                                             FeatureKind kind) {
  std::optional<absl::string_view> list;
  while (!feature.empty()) {
    ASSIGN_OR_RETURN(const Field field, TakeField(feature));
    if (field.wire_type != kBytes) continue;
    if (field.number == kind) {
      list = field.bytes;
    } else if (field.number <= kInt64List) {
      list.reset();  // A oneof: the last member set is the one that counts.
    }
  }
  if (!list.has_value()) {
    return absl::DataLossError(absl::StrCat(
        "feature without ", kind == kBytesList ? "bytes" : "integers"));
  }
  return *list;
}

absl::Status NotSingle(int64_t count) {
  return absl::DataLossError(
      absl::StrCat("feature with ", count, " values instead of 1"));
}

}  // namespace

absl::Status VisitFeatures(
    absl::string_view example,
    absl::FunctionRef<void(absl::string_view name, absl::string_view feature)>
        visit) {
  while (!example.empty()) {
    ASSIGN_OR_RETURN(Field features, TakeField(example));
    if (features.number != 1 || features.wire_type != kBytes) continue;
    while (!features.bytes.empty()) {
      ASSIGN_OR_RETURN(const Field entry, TakeField(features.bytes));
      if (entry.number != 1 || entry.wire_type != kBytes) continue;
      RETURN_IF_ERROR(VisitMapEntry(entry.bytes, visit));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::string_view> SingleBytes(absl::string_view feature) {
  ASSIGN_OR_RETURN(absl::string_view list, ListOfKind(feature, kBytesList));
  int64_t count = 0;
  absl::string_view value;
  while (!list.empty()) {
    ASSIGN_OR_RETURN(const Field field, TakeField(list));
    if (field.number != 1 || field.wire_type != kBytes) continue;
    value = field.bytes;
    ++count;
  }
  if (count != 1) return NotSingle(count);
  return value;
}

absl::StatusOr<int64_t> SingleInt64(absl::string_view feature) {
  ASSIGN_OR_RETURN(absl::string_view list, ListOfKind(feature, kInt64List));
  int64_t count = 0;
  uint64_t value = 0;
  while (!list.empty()) {
    ASSIGN_OR_RETURN(Field field, TakeField(list));
    if (field.number != 1) continue;
    if (field.wire_type == kVarint) {
      value = field.varint;
      ++count;
    } else if (field.wire_type == kBytes) {
      while (!field.bytes.empty()) {
        const std::optional<uint64_t> packed = TakeVarint(field.bytes);
        if (!packed.has_value()) return Malformed("bad packed varint");
        value = *packed;
        ++count;
      }
    }
  }
  if (count != 1) return NotSingle(count);
  return static_cast<int64_t>(value);
}

}  // namespace xla_byol::input
