#include "xla_byol/base/json_writer.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "xla_byol/base/utf8.h"

namespace xla_byol {
namespace {

template <typename Float>
std::string ShortestText(Float value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, result.ptr);
}

}  // namespace

JsonWriter& JsonWriter::Key(absl::string_view key) {
  Separate();
  AppendQuoted(key);
  text_ += indent_ > 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::Value(absl::string_view value) {
  Separate();
  AppendQuoted(value);
  return *this;
}

JsonWriter& JsonWriter::Value(double value) {
  return std::isfinite(value) ? Raw(ShortestText(value)) : Null();
}

JsonWriter& JsonWriter::Value(float value) {
  return std::isfinite(value) ? Raw(ShortestText(value)) : Null();
}

JsonWriter& JsonWriter::Begin(char bracket) {
  Separate();
  text_ += bracket;
  has_elements_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::End(char bracket) {
  const bool had_elements = has_elements_.back();
  has_elements_.pop_back();
  if (had_elements) NewLine();
  text_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::Raw(absl::string_view text) {
  Separate();
  text_.append(text.data(), text.size());
  return *this;
}

void JsonWriter::Separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_elements_.empty()) return;
  if (has_elements_.back()) text_ += ',';
  has_elements_.back() = true;
  NewLine();
}

void JsonWriter::NewLine() {
  if (indent_ == 0) return;
  text_ += '\n';
  text_.append(has_elements_.size() * static_cast<size_t>(indent_), ' ');
}

void JsonWriter::AppendQuoted(absl::string_view value) {
  text_ += '"';
  while (!value.empty()) {
    const size_t length = Utf8SequenceLength(value);
    const char c = value[0];
    if (length == 0) {
      text_ += "\xef\xbf\xbd";
    } else if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (c == '\n') {
      text_ += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x",
                    static_cast<unsigned>(c));
      text_ += escape;
    } else {
      text_.append(value.data(), length);
    }
    value.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

}  // namespace xla_byol
