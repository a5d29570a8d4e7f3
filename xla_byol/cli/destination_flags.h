// What --platform, --devices and --plugin say about where to compile for.

#ifndef XLA_BYOL_CLI_DESTINATION_FLAGS_H_
#define XLA_BYOL_CLI_DESTINATION_FLAGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "xla_byol/inspect/step_compiler.h"

namespace xla_byol {

// With a `topology` that one instead of this machine's devices.
// --platform=none compiles nothing, for any number of --devices or for a
// topology's.
absl::StatusOr<Destination> DestinationFromFlags(const std::string& topology);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_DESTINATION_FLAGS_H_
