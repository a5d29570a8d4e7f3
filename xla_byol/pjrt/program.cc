#include "xla_byol/pjrt/program.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace xla_byol::pjrt {

Padded<PJRT_Program> MlirProgram(absl::string_view program) {
  static constexpr absl::string_view kFormat = "mlir";
  Padded<PJRT_Program> result;
  // The field is also used for output, hence not const; compiling only reads.
  result.code = const_cast<char*>(program.data());
  result.code_size = program.size();
  result.format = kFormat.data();
  result.format_size = kFormat.size();
  return result;
}

absl::Status CompileError(absl::Status status, absl::string_view program) {
  if (status.ok()) return status;
  constexpr size_t kShown = 60;
  absl::string_view start = absl::StripAsciiWhitespace(program);
  start = start.substr(0, std::min(kShown, start.find('\n')));
  // The parser's own failures have no code.
  return absl::Status(absl::IsUnknown(status)
                          ? absl::StatusCode::kInvalidArgument
                          : status.code(),
                      absl::StrCat("the program beginning '", start,
                                   "' does not compile: ", status.message()));
}

}  // namespace xla_byol::pjrt
