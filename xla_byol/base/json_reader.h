// Reads JSON (RFC 8259) from memory into a tree of values.

#ifndef XLA_BYOL_BASE_JSON_READER_H_
#define XLA_BYOL_BASE_JSON_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla_byol {

struct JsonValue {
  enum class Type { kNull, kBool, kNumber, kString, kArray, kObject };
  Type type = Type::kNull;
  bool boolean = false;
  double number = 0;
  std::string string;
  std::vector<JsonValue> elements;  // of an array or an object, in order
  std::vector<std::string> names;   // of an object's elements

  bool is_number() const { return type == Type::kNumber; }
  bool is_string() const { return type == Type::kString; }
  bool is_array() const { return type == Type::kArray; }
  bool is_object() const { return type == Type::kObject; }

  // The element of an object, or null.
  const JsonValue* Find(absl::string_view name) const;

  // A number without fraction that a double holds exactly, up to 2^53.
  std::optional<int64_t> Integer() const;
};

// Deeper nesting is refused: each level costs stack.
inline constexpr int kMaxJsonDepth = 64;

// The one value that `text` holds. DataLoss with the byte's place if it is not
// JSON, gives a name twice, nests too deep, or goes on after the value.
absl::StatusOr<JsonValue> ParseJson(absl::string_view text);

}  // namespace xla_byol

#endif  // XLA_BYOL_BASE_JSON_READER_H_
