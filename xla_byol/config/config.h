// Configurations as text: reading, overriding, writing. What they mean and
// whether they make sense is settings.h.

#ifndef XLA_BYOL_CONFIG_CONFIG_H_
#define XLA_BYOL_CONFIG_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/config/config.pb.h"

namespace xla_byol {

// Parses a textproto. Errors have `source`, line and column; an unknown field's
// names the nearest valid one.
absl::StatusOr<Config> ParseConfig(absl::string_view text,
                                   absl::string_view source);

// Merges what this version knows of a config that another one may have written:
// unknown fields are left out. On an error `config` has what stands before it
// (an enumerator that this version does not know, say). For showing a config,
// not for running it.
absl::Status ParseKnownFields(absl::string_view text, absl::string_view source,
                              Config* config);

// Applies "path.to.field=value" (`--set`) one after the other. Values are as in
// a textproto; strings and enumerators need no quotes. A repeated field takes a
// list, "data.mean=[0.5,0.5,0.5]" (the brackets may be left out), which
// replaces what was there; or single values, of which the first replaces what
// was there and the others follow it.
absl::Status SetConfigFields(const std::vector<std::string>& assignments,
                             Config* config);

// The textproto that ParseConfig reads back as the same config.
std::string FormatConfig(const Config& config);

}  // namespace xla_byol

#endif  // XLA_BYOL_CONFIG_CONFIG_H_
