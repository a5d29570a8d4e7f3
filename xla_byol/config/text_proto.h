// Textprotos as people write them: errors with source, line and column, and
// the nearest valid name for one that does not exist.

#ifndef XLA_BYOL_CONFIG_TEXT_PROTO_H_
#define XLA_BYOL_CONFIG_TEXT_PROTO_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace xla_byol {

// The names of a message's own fields.
std::vector<std::string> FieldNames(const google::protobuf::Descriptor& type);

// Merges `text` into `message`. INVALID_ARGUMENT with the first error, as
// "<source>:<line>:<column>: ...". With `allow_unknown` unknown fields are left
// out.
absl::Status MergeTextProto(absl::string_view text, absl::string_view source,
                            google::protobuf::Message* message,
                            bool allow_unknown = false);

}  // namespace xla_byol

#endif  // XLA_BYOL_CONFIG_TEXT_PROTO_H_
