#include "xla_byol/pjrt/platform.h"

#include <iterator>

#include "absl/strings/str_cat.h"
#include "xla_byol/pjrt/platform_rows.h"

namespace xla_byol::pjrt {
namespace {

// In the order of Platform.
constexpr const PlatformInfo* kRows[] = {&kCpuPlatform, &kTpuPlatform,
                                         &kGpuPlatform};
static_assert(std::size(kRows) == std::size(kPlatforms));

}  // namespace

const PlatformInfo& Info(Platform platform) {
  return *kRows[static_cast<int>(platform)];
}

std::string PlatformNames() {
  std::string names = kRows[0]->name;
  for (size_t i = 1; i < std::size(kRows); ++i) {
    absl::StrAppend(&names, i + 1 < std::size(kRows) ? ", " : " or ",
                    kRows[i]->name);
  }
  return names;
}

absl::StatusOr<Platform> PlatformFromName(absl::string_view name) {
  for (const PlatformInfo* row : kRows) {
    if (name == row->name) return row->platform;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown platform '", name, "': use ", PlatformNames()));
}

absl::StatusOr<Platform> PlatformOfTopology(absl::string_view name) {
  std::string hints;
  for (const PlatformInfo* row : kRows) {
    if (row->has_topology(name)) return row->platform;
    if (row->topology_example == nullptr) continue;
    absl::StrAppend(&hints, "; ", row->name, ": ", row->topology_hint);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no platform has a topology '", name, "'", hints));
}

bool HardwarePresent(Platform platform) {
  return Info(platform).hardware_present();
}

}  // namespace xla_byol::pjrt
