#include "xla_byol/pjrt/named_value.h"

#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla_byol::pjrt {

std::vector<PJRT_NamedValue> ToPjrt(const NamedValues& values) {
  std::vector<PJRT_NamedValue> result;
  result.reserve(values.size());
  for (const auto& [name, value] : values) {
    PJRT_NamedValue out{};
    // An array's element: its stride is fixed, so it cannot carry a tail.
    out.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    out.name = name.data();
    out.name_size = name.size();
    out.value_size = 1;
    if (const auto* text = std::get_if<std::string>(&value)) {
      out.type = PJRT_NamedValue_kString;
      out.string_value = text->data();
      out.value_size = text->size();
    } else if (const auto* number = std::get_if<int64_t>(&value)) {
      out.type = PJRT_NamedValue_kInt64;
      out.int64_value = *number;
    } else if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
      out.type = PJRT_NamedValue_kInt64List;
      out.int64_array_value = list->data();
      out.value_size = list->size();
    } else if (const auto* real = std::get_if<float>(&value)) {
      out.type = PJRT_NamedValue_kFloat;
      out.float_value = *real;
    } else {
      out.type = PJRT_NamedValue_kBool;
      out.bool_value = std::get<bool>(value);
    }
    result.push_back(out);
  }
  return result;
}

NamedValues FromPjrt(const PJRT_NamedValue* values, size_t count) {
  NamedValues result;
  for (size_t i = 0; i < count; ++i) {
    const PJRT_NamedValue& in = values[i];
    NamedValue value;
    switch (in.type) {
      case PJRT_NamedValue_kString:
        value = std::string(in.string_value, in.value_size);
        break;
      case PJRT_NamedValue_kInt64:
        value = in.int64_value;
        break;
      case PJRT_NamedValue_kInt64List:
        value = std::vector<int64_t>(in.int64_array_value,
                                     in.int64_array_value + in.value_size);
        break;
      case PJRT_NamedValue_kFloat:
        value = in.float_value;
        break;
      case PJRT_NamedValue_kBool:
        value = in.bool_value;
        break;
      default:  // A kind of value that is newer than our header.
        continue;
    }
    result.emplace(std::string(in.name, in.name_size), std::move(value));
  }
  return result;
}

std::string ToString(const NamedValue& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::vector<int64_t>>) {
          return absl::StrJoin(held, ".");
        } else if constexpr (std::is_same_v<Held, bool>) {
          return held ? "true" : "false";
        } else {
          return absl::StrCat(held);
        }
      },
      value);
}

}  // namespace xla_byol::pjrt
