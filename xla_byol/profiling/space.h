// A whole profile: what the host did, and what a plugin recorded about devices.

#ifndef XLA_BYOL_PROFILING_SPACE_H_
#define XLA_BYOL_PROFILING_SPACE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "xla_byol/profiling/xspace.pb.h"

namespace xla_byol::profiling {

// What a plugin gave, serialized: DATA_LOSS if it is none. One byte more than
// there is, as XLA's profiler says it, does no harm.
absl::StatusOr<xspace::XSpace> ParseSpace(absl::string_view bytes);

// Adds a plugin's planes, whose times count from 1970, to `space`, whose times
// count from `origin`. Of the host there is one plane, as readers want it: a
// plugin's own lines of the host (its threads, calls of a driver) join it.
void AddPluginPlanes(xspace::XSpace plugin, absl::Time origin,
                     xspace::XSpace& space);

// Writes FOLDER/plugins/profile/RUN/HOST.xplane.pb, where TensorBoard and XProf
// look for it, and returns the path.
absl::StatusOr<std::string> WriteSpace(const xspace::XSpace& space,
                                       const std::string& folder,
                                       const std::string& run,
                                       const std::string& host);

}  // namespace xla_byol::profiling

#endif  // XLA_BYOL_PROFILING_SPACE_H_
