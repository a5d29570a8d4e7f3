#include "xla_byol/base/json_reader.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/base/utf8.h"

namespace xla_byol {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text) {}

  absl::StatusOr<JsonValue> Document() {
    JsonValue value;
    RETURN_IF_ERROR(Value(value, 0));
    SkipSpace();
    if (at_ != text_.size()) return Error("text after the value");
    return value;
  }

 private:
  absl::Status Error(absl::string_view what) const {
    return absl::DataLossError(absl::StrCat("not JSON: ", what, " at byte ",
                                            at_, " of ", text_.size()));
  }

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool Take(char c) {
    if (Peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' ||
                                  text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  absl::Status Value(JsonValue& value, int depth) {
    if (depth > kMaxJsonDepth) return Error("too many nested values");
    SkipSpace();
    switch (Peek()) {
      case '{':
        return Object(value, depth);
      case '[':
        return Array(value, depth);
      case '"':
        value.type = JsonValue::Type::kString;
        return String(value.string);
      case 't':
        value.type = JsonValue::Type::kBool;
        value.boolean = true;
        return Word("true");
      case 'f':
        value.type = JsonValue::Type::kBool;
        return Word("false");
      case 'n':
        return Word("null");
      default:
        value.type = JsonValue::Type::kNumber;
        return Number(value.number);
    }
  }

  absl::Status Object(JsonValue& value, int depth) {
    value.type = JsonValue::Type::kObject;
    Take('{');
    SkipSpace();
    if (Take('}')) return absl::OkStatus();
    do {
      SkipSpace();
      if (Peek() != '"') return Error("expected a name");
      RETURN_IF_ERROR(String(value.names.emplace_back()));
      SkipSpace();
      if (!Take(':')) return Error("expected ':'");
      RETURN_IF_ERROR(Value(value.elements.emplace_back(), depth + 1));
      SkipSpace();
    } while (Take(','));
    if (!Take('}')) return Error("expected ',' or '}'");
    return CheckUnique(value.names);
  }

  // Programs differ in which of two elements counts, so neither does.
  absl::Status CheckUnique(const std::vector<std::string>& names) {
    const auto error = [this](absl::string_view name) {
      return Error(absl::StrCat("second \"", name, "\" in the object"));
    };
    constexpr size_t kFew = 16;  // where comparing all pairs is quickest
    if (names.size() <= kFew) {
      for (size_t i = 0; i < names.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
          if (names[i] == names[j]) return error(names[i]);
        }
      }
      return absl::OkStatus();
    }
    absl::flat_hash_set<absl::string_view> known;
    for (const std::string& name : names) {
      if (!known.insert(name).second) return error(name);
    }
    return absl::OkStatus();
  }

  absl::Status Array(JsonValue& value, int depth) {
    value.type = JsonValue::Type::kArray;
    Take('[');
    SkipSpace();
    if (Take(']')) return absl::OkStatus();
    do {
      RETURN_IF_ERROR(Value(value.elements.emplace_back(), depth + 1));
      SkipSpace();
    } while (Take(','));
    return Take(']') ? absl::OkStatus() : Error("expected ',' or ']'");
  }

  absl::Status Word(absl::string_view word) {
    if (text_.substr(at_, word.size()) != word) {
      return Error("expected a value");
    }
    at_ += word.size();
    return absl::OkStatus();
  }

  absl::Status Number(double& number) {
    const size_t begin = at_;
    const auto digits = [this] {
      const size_t first = at_;
      while (IsDigit(Peek())) ++at_;
      return at_ > first;
    };
    Take('-');
    const bool zero = Peek() == '0';
    const size_t first = at_;
    if (!digits()) return Error("expected a value");
    if (zero && at_ - first > 1) return Error("number with a leading zero");
    if (Take('.') && !digits()) return Error("expected digits");
    if (Take('e') || Take('E')) {
      if (!Take('-')) Take('+');
      if (!digits()) return Error("expected digits");
    }
    const absl::from_chars_result result =
        absl::from_chars(text_.data() + begin, text_.data() + at_, number);
    // Too small a number gives the nearest that there is; too large a one would
    // give infinity, which JSON has not.
    if (result.ec == std::errc::result_out_of_range && std::abs(number) > 1) {
      return Error("number out of range");
    }
    return absl::OkStatus();
  }

  absl::Status String(std::string& out) {
    Take('"');
    for (;;) {
      const size_t begin = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 0x20) {
        const size_t length = Utf8SequenceLength(text_.substr(at_));
        if (length == 0) return Error("bytes that are not UTF-8");
        at_ += length;
      }
      out.append(text_.data() + begin, at_ - begin);
      if (Take('"')) return absl::OkStatus();
      if (!Take('\\')) return Error("string without an end");
      RETURN_IF_ERROR(Escape(out));
    }
  }

  absl::Status Escape(std::string& out) {
    constexpr absl::string_view kLetters = "\"\\/bfnrt";
    constexpr absl::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (Take('u')) {
      uint32_t code = 0;
      RETURN_IF_ERROR(Hex(code));
      if (code >= 0xD800 && code < 0xDC00 && Take('\\')) {
        uint32_t low = 0;
        if (!Take('u')) return Error("half of a surrogate pair");
        RETURN_IF_ERROR(Hex(low));
        if (low < 0xDC00 || low > 0xDFFF) {
          return Error("half of a surrogate pair");
        }
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      } else if (code >= 0xD800 && code < 0xE000) {
        return Error("half of a surrogate pair");
      }
      AppendUtf8(code, out);
      return absl::OkStatus();
    }
    const size_t letter = kLetters.find(Peek());
    if (at_ == text_.size() || letter == absl::string_view::npos) {
      return Error("unknown escape");
    }
    out += kMeanings[letter];
    ++at_;
    return absl::OkStatus();
  }

  absl::Status Hex(uint32_t& code) {
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = Peek();
      const char lower = static_cast<char>(c | 0x20);
      if (IsDigit(c)) {
        code = code * 16 + static_cast<uint32_t>(c - '0');
      } else if (lower >= 'a' && lower <= 'f') {
        code = code * 16 + static_cast<uint32_t>(lower - 'a' + 10);
      } else {
        return Error("expected four hexadecimal digits");
      }
    }
    return absl::OkStatus();
  }

  const absl::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const JsonValue* JsonValue::Find(absl::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end()
             ? nullptr
             : &elements[static_cast<size_t>(found - names.begin())];
}

std::optional<int64_t> JsonValue::Integer() const {
  constexpr double kLimit = 9007199254740992;  // 2^53
  if (!is_number() || std::abs(number) > kLimit ||
      std::trunc(number) != number) {
    return std::nullopt;
  }
  return static_cast<int64_t>(number);
}

absl::StatusOr<JsonValue> ParseJson(absl::string_view text) {
  return Parser(text).Document();
}

}  // namespace xla_byol
