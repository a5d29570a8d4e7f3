#include "xla_byol/config/text_proto.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "xla_byol/base/nearest_name.h"

namespace xla_byol {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::DescriptorPool;
using ::google::protobuf::Message;
using ::google::protobuf::TextFormat;

// "; did you mean 'x'?" for the parser's message about an unknown field, which
// quotes the message type and then the name.
std::string SuggestionFor(absl::string_view parser_message) {
  const std::vector<std::string> parts =
      absl::StrSplit(parser_message, absl::ByAnyChar("\""));
  if (parts.size() < 4) return "";
  const Descriptor* type =
      DescriptorPool::generated_pool()->FindMessageTypeByName(parts[1]);
  if (type == nullptr) return "";
  return absl::StrCat("; did you mean '",
                      NearestName(parts[3], FieldNames(*type)), "'?");
}

// Keeps the first error, which is the one that matters.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  explicit FirstError(absl::string_view source) : source_(source) {}

  // The older and the newer protobuf call different ones.
  void AddError(int line, int column, const std::string& message) {
    Keep(line, column, message);
  }
  void RecordError(int line, int column, absl::string_view message) {
    Keep(line, column, message);
  }

  const std::string& message() const { return message_; }

 private:
  void Keep(int line, int column, absl::string_view message) {
    if (!message_.empty()) return;
    // A position in what was made of a flag means nothing to the user.
    const std::string position =
        absl::StartsWith(source_, "--")
            ? ""
            : absl::StrCat(":", line + 1, ":", column + 1);
    message_ =
        absl::StrCat(source_, position, ": ", absl::StripSuffix(message, "."),
                     SuggestionFor(message));
  }

  std::string source_;
  std::string message_;
};

}  // namespace

std::vector<std::string> FieldNames(const Descriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.field_count(); ++i) {
    names.emplace_back(type.field(i)->name());
  }
  return names;
}

absl::Status MergeTextProto(absl::string_view text, absl::string_view source,
                            Message* message, bool allow_unknown) {
  FirstError error(source);
  TextFormat::Parser parser;
  parser.AllowUnknownField(allow_unknown);
  parser.RecordErrorsTo(&error);
  if (!parser.MergeFromString(std::string(text), message)) {
    return absl::InvalidArgumentError(error.message());
  }
  return absl::OkStatus();
}

}  // namespace xla_byol
