// The platforms we know, and where each keeps its things.

#ifndef XLA_BYOL_PJRT_PLATFORM_H_
#define XLA_BYOL_PJRT_PLATFORM_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla_byol::pjrt {

enum class Platform { kCpu, kTpu, kGpu };

inline constexpr Platform kPlatforms[] = {Platform::kCpu, Platform::kTpu,
                                          Platform::kGpu};

struct PlatformInfo {
  Platform platform;
  // The value of --platform.
  const char* name;
  // What the plugin's client calls itself.
  const char* client_name;
  // Environment variables with a plugin's path, in order; null ends the list.
  const char* path_variables[3];
  // The plugin's path inside its repository, and so below one of the
  // directories of a binary's runfiles.
  const char* runfile;
  // Its Bazel label, for the sentence that says what to do.
  const char* label;
};

const PlatformInfo& Info(Platform platform);
absl::StatusOr<Platform> PlatformFromName(absl::string_view name);

// Whether this machine has a device of the platform: always for the CPU, a PCI
// device of Google's for a TPU (off Google's cloud there is none), NVIDIA's
// device node for a GPU. Costs a directory listing.
bool HardwarePresent(Platform platform);

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_PLATFORM_H_
