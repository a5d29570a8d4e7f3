// Writes JSON into a string, in order, without a document tree.
//
//   JsonWriter json;
//   json.BeginObject();
//   json.Field("devices", 8);
//   json.Key("shape").BeginArray().Value(32).Value(3).EndArray();
//   json.EndObject();
//   json.text();  // {"devices":8,"shape":[32,3]}

#ifndef XLA_BYOL_BASE_JSON_WRITER_H_
#define XLA_BYOL_BASE_JSON_WRITER_H_

#include <concepts>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace xla_byol {

// Calls must nest properly; that is the caller's duty and is not checked.
class JsonWriter {
 public:
  // With an indent of 0 everything stands on one line.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  JsonWriter& BeginObject() { return Begin('{'); }
  JsonWriter& EndObject() { return End('}'); }
  JsonWriter& BeginArray() { return Begin('['); }
  JsonWriter& EndArray() { return End(']'); }
  JsonWriter& Key(absl::string_view key);

  // Invalid UTF-8 is replaced by U+FFFD, so that any reader takes the result.
  JsonWriter& Value(absl::string_view value);
  JsonWriter& Value(const char* value) {
    return Value(absl::string_view(value));
  }
  JsonWriter& Value(const std::string& value) {
    return Value(absl::string_view(value));
  }
  // The shortest text that reads back as the same number; JSON has no NaN or
  // infinity, which become null.
  JsonWriter& Value(double value);
  JsonWriter& Value(float value);
  template <std::integral T>
  JsonWriter& Value(T value) {
    if constexpr (std::same_as<T, bool>) {
      return Raw(value ? "true" : "false");
    } else {
      return Raw(std::to_string(value));
    }
  }
  JsonWriter& Null() { return Raw("null"); }
  // A whole value that is JSON already, as it is.
  JsonWriter& Json(absl::string_view text) { return Raw(text); }

  template <typename T>
  JsonWriter& Field(absl::string_view key, const T& value) {
    return Key(key).Value(value);
  }

  const std::string& text() const { return text_; }

 private:
  JsonWriter& Begin(char bracket);
  JsonWriter& End(char bracket);
  JsonWriter& Raw(absl::string_view text);
  // Comma, line break and indentation before the next key or element.
  void Separate();
  void NewLine();
  void AppendQuoted(absl::string_view value);

  const int indent_;
  std::string text_;
  std::vector<bool> has_elements_;  // one entry per open bracket
  bool after_key_ = false;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_BASE_JSON_WRITER_H_
