#include "xla_byol/config/config.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"
#include "xla_byol/base/nearest_name.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/config/text_proto.h"

namespace xla_byol {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::EnumDescriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::TextFormat;

std::vector<std::string> EnumeratorNames(const EnumDescriptor& enumeration) {
  std::vector<std::string> names;
  for (int i = 0; i < enumeration.value_count(); ++i) {
    names.emplace_back(enumeration.value(i)->name());
  }
  return names;
}

// The text that a textproto needs for one value of the field.
absl::StatusOr<std::string> QuotedValue(const FieldDescriptor& field,
                                        absl::string_view path,
                                        absl::string_view value) {
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    Config quoting;
    quoting.set_name(std::string(value));
    std::string text;
    TextFormat::PrintFieldValueToString(
        quoting, Config::descriptor()->FindFieldByName("name"), -1, &text);
    return text;
  }
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
    const std::vector<std::string> names = EnumeratorNames(*field.enum_type());
    const std::string nearest = NearestName(value, names);
    if (!absl::EqualsIgnoreCase(nearest, value)) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": '", value, "' is none of ", absl::StrJoin(names, ", "),
          "; did you mean ", nearest, "?"));
    }
    return nearest;
  }
  return std::string(value);
}

// A field of some message of a config, by its path.
struct Place {
  Message* message;
  const FieldDescriptor* field;
};

absl::StatusOr<Place> FindPlace(absl::string_view assignment,
                                absl::string_view path, Config* config) {
  Message* message = config;
  const std::vector<std::string> names = absl::StrSplit(path, '.');
  for (size_t i = 0;; ++i) {
    const Descriptor& type = *message->GetDescriptor();
    const FieldDescriptor* field = type.FindFieldByName(names[i]);
    if (field == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("--set=", assignment, ": there is no field '", names[i],
                       "' in ", type.name(), "; did you mean '",
                       NearestName(names[i], FieldNames(type)), "'?"));
    }
    const bool is_message =
        field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (is_message != (i + 1 < names.size())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--set=", assignment, ": '", names[i],
          is_message ? "' is a group of fields; name one of: "
                     : "' is a single field and has no field '",
          is_message ? absl::StrJoin(FieldNames(*field->message_type()), ", ")
                     : absl::StrCat(names[i + 1], "'")));
    }
    if (!is_message) return Place{message, field};
    message = message->GetReflection()->MutableMessage(message, field);
  }
}

// The values of a repeated field: "[1,2]", "1,2", "1" or "[]".
std::vector<std::string> ListOf(absl::string_view text) {
  if (absl::StartsWith(text, "[") && absl::EndsWith(text, "]")) {
    text = text.substr(1, text.size() - 2);
    if (absl::StripAsciiWhitespace(text).empty()) return {};
  }
  std::vector<std::string> values;
  for (const absl::string_view value : absl::StrSplit(text, ',')) {
    values.emplace_back(absl::StripAsciiWhitespace(value));
  }
  return values;
}

// Sets or, for a single value of a repeated field in `begun`, adds.
absl::Status SetConfigField(absl::string_view assignment,
                            absl::flat_hash_set<std::string>& begun,
                            Config* config) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(assignment, absl::MaxSplits('=', 1));
  const auto& [path, value] = parts;
  if (!absl::StrContains(assignment, "=")) {
    return absl::InvalidArgumentError(
        absl::StrCat("--set=", assignment, ": expected path.to.field=value"));
  }
  ASSIGN_OR_RETURN(const Place place, FindPlace(assignment, path, config));
  std::vector<std::string> values = {value};
  bool replaces = true;
  if (place.field->is_repeated()) {
    values = ListOf(value);
    const bool is_list = values.size() != 1 || absl::StartsWith(value, "[");
    replaces = begun.insert(path).second || is_list;
  }
  if (replaces) {
    place.message->GetReflection()->ClearField(place.message, place.field);
  }
  for (const std::string& one : values) {
    ASSIGN_OR_RETURN(const std::string text,
                     QuotedValue(*place.field, path, one));
    RETURN_IF_ERROR(
        MergeTextProto(absl::StrCat(place.field->name(), ": ", text),
                       absl::StrCat("--set=", assignment), place.message));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Config> ParseConfig(absl::string_view text,
                                   absl::string_view source) {
  Config config;
  RETURN_IF_ERROR(MergeTextProto(text, source, &config));
  return config;
}

absl::Status ParseKnownFields(absl::string_view text, absl::string_view source,
                              Config* config) {
  return MergeTextProto(text, source, config, /*allow_unknown=*/true);
}

absl::Status SetConfigFields(const std::vector<std::string>& assignments,
                             Config* config) {
  absl::flat_hash_set<std::string> begun;
  for (const std::string& assignment : assignments) {
    RETURN_IF_ERROR(SetConfigField(assignment, begun, config));
  }
  return absl::OkStatus();
}

std::string FormatConfig(const Config& config) {
  std::string text;
  TextFormat::PrintToString(config, &text);
  return text;
}

}  // namespace xla_byol
