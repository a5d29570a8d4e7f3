// From a config as someone wrote it to one that a run can be built from: what
// it leaves out, and what makes no sense. What a kind of predictor, method,
// optimizer or encoder wants stands in that family's table; it is only asked
// for here.

#ifndef XLA_BYOL_SETTINGS_SETTINGS_H_
#define XLA_BYOL_SETTINGS_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/config/config.pb.h"

namespace xla_byol {

// Fills what has no default of its own: the data's mean and stddev, the
// predictor's ridge and decay by its kind. Afterwards every number that a run
// depends on stands in the config.
void ResolveConfig(Config* config);

// Checks a resolved config for use on `devices` devices. The error says which
// field, its value and why it makes no sense.
absl::Status ValidateConfig(const Config& config, int devices);

// ParseConfig (an empty text is the default config), the assignments in order
// (SetConfigFields), ResolveConfig and ValidateConfig.
absl::StatusOr<Config> LoadConfig(absl::string_view text,
                                  absl::string_view source,
                                  const std::vector<std::string>& assignments,
                                  int devices);

}  // namespace xla_byol

#endif  // XLA_BYOL_SETTINGS_SETTINGS_H_
