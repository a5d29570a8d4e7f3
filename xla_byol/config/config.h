// Configurations: reading, overriding, checking, and the paper's defaults.

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

// Applies one "path.to.field=value" (`--set`). Values are as in a textproto;
// strings and enumerators need no quotes. Repeated fields take a list,
// "data.mean=0.5,0.5,0.5", which replaces what was there.
absl::Status SetConfigField(absl::string_view assignment, Config* config);

// Fills what has no default of its own: the data's mean and stddev, the
// predictor's ridge and decay by its kind. Afterwards every number that a run
// depends on stands in the config.
void ResolveConfig(Config* config);

// Checks a resolved config for use on `devices` devices. The error says which
// field, its value and why it makes no sense.
absl::Status ValidateConfig(const Config& config, int devices);

// ParseConfig (an empty text is the default config), the assignments in order,
// ResolveConfig and ValidateConfig.
absl::StatusOr<Config> LoadConfig(absl::string_view text,
                                  absl::string_view source,
                                  const std::vector<std::string>& assignments,
                                  int devices);

// The textproto that ParseConfig reads back as the same config.
std::string FormatConfig(const Config& config);

// True if the predictor is a closed form of the latents rather than trained.
bool IsClosedForm(Predictor::Kind kind);

}  // namespace xla_byol

#endif  // XLA_BYOL_CONFIG_CONFIG_H_
