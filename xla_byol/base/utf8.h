// UTF-8, a character at a time.

#ifndef XLA_BYOL_BASE_UTF8_H_
#define XLA_BYOL_BASE_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace xla_byol {

// The length of the valid sequence at the start of `text`, which is not empty;
// 0 if there is none.
size_t Utf8SequenceLength(absl::string_view text);

// Appends the character, which is at most U+10FFFF and no surrogate.
void AppendUtf8(uint32_t code, std::string& out);

}  // namespace xla_byol

#endif  // XLA_BYOL_BASE_UTF8_H_
