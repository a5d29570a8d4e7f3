#include "xla_byol/pjrt/platform.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace xla_byol::pjrt {
namespace {

constexpr PlatformInfo kInfo[] = {
    {Platform::kCpu,
     "cpu",
     "cpu",
     {"PJRT_PLUGIN_PATH", nullptr, nullptr},
     "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
     "@pjrt_cpu//:plugin"},
    {Platform::kTpu,
     "tpu",
     "tpu",
     {"PJRT_PLUGIN_PATH", "TPU_LIBRARY_PATH", nullptr},
     "libtpu/libtpu.so",
     "@pjrt_tpu//:plugin"},
    {Platform::kGpu,
     "gpu",
     "cuda",
     {"PJRT_PLUGIN_PATH", nullptr, nullptr},
     "jax_plugins/xla_cuda12/xla_cuda_plugin.so",
     "@pjrt_gpu//:plugin"},
};

bool HasPciVendor(absl::string_view vendor) {
  std::error_code ignored;
  for (const auto& device :
       std::filesystem::directory_iterator("/sys/bus/pci/devices", ignored)) {
    std::ifstream file(device.path() / "vendor");
    std::string id;
    if (file >> id && id == vendor) return true;
  }
  return false;
}

}  // namespace

const PlatformInfo& Info(Platform platform) {
  return kInfo[static_cast<int>(platform)];
}

absl::StatusOr<Platform> PlatformFromName(absl::string_view name) {
  for (const PlatformInfo& info : kInfo) {
    if (name == info.name) return info.platform;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown platform '", name, "': use cpu, tpu or gpu"));
}

bool HardwarePresent(Platform platform) {
  std::error_code ignored;
  switch (platform) {
    case Platform::kCpu:
      return true;
    case Platform::kTpu:
      return HasPciVendor("0x1ae0");
    case Platform::kGpu:
      return std::filesystem::exists("/dev/nvidiactl", ignored);
  }
  return false;
}

}  // namespace xla_byol::pjrt
