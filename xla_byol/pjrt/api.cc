#include "xla_byol/pjrt/api.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace xla_byol::pjrt {
namespace {

// Compilers report a list of lines; ours is one sentence.
std::string OneLine(absl::string_view text) {
  return absl::StrJoin(absl::StrSplit(text, '\n', absl::SkipWhitespace()),
                       "; ");
}

}  // namespace

absl::Status Api::TakeError(PJRT_Error* error, absl::string_view where) const {
  if (error == nullptr) return absl::OkStatus();
  // These four functions are as old as the API: their slots need no check.
  Padded<PJRT_Error_Message_Args> message;
  message.error = error;
  table_->PJRT_Error_Message(&message);
  Padded<PJRT_Error_GetCode_Args> code;
  code.error = error;
  PJRT_Error* second = table_->PJRT_Error_GetCode(&code);
  // PJRT's codes are Abseil's, number by number.
  absl::Status status(
      second == nullptr ? static_cast<absl::StatusCode>(code.code)
                        : absl::StatusCode::kUnknown,
      absl::StrCat(where, ": ",
                   OneLine({message.message, message.message_size})));
  for (PJRT_Error* used : {error, second}) {
    if (used == nullptr) continue;
    Padded<PJRT_Error_Destroy_Args> destroy;
    destroy.error = used;
    table_->PJRT_Error_Destroy(&destroy);
  }
  return status;
}

absl::Status Api::Missing(absl::string_view function) const {
  return absl::UnimplementedError(absl::StrCat(
      function, ": the plugin speaks PJRT C API ", major_version(), ".",
      minor_version(), ", which does not have it; use a newer plugin"));
}

}  // namespace xla_byol::pjrt
