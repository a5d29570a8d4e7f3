// A device of a client, or of a topology that need not exist here.

#ifndef XLA_BYOL_PJRT_DEVICE_H_
#define XLA_BYOL_PJRT_DEVICE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "xla_byol/pjrt/api.h"
#include "xla_byol/pjrt/named_value.h"

namespace xla_byol::pjrt {

struct DeviceDescription {
  // Unique among all processes' devices; device assignments use it.
  int id = 0;
  // The process that can use the device.
  int process_index = 0;
  // "cpu", "TPU v3", "NVIDIA A100-SXM4-40GB"
  std::string kind;
  // For people: "CpuDevice(id=0)".
  std::string name;
  NamedValues attributes;

  static absl::StatusOr<DeviceDescription> Read(
      const Api& api, PJRT_DeviceDescription* description);
};

struct DeviceMemory {
  int64_t bytes_in_use = 0;
  // 0 when the plugin does not say.
  int64_t peak_bytes_in_use = 0;
  int64_t bytes_limit = 0;
};

// A device that this process can use. Owned by its client and valid as long.
class Device {
 public:
  static absl::StatusOr<Device> Read(const Api& api, PJRT_Device* device);

  const DeviceDescription& description() const { return description_; }
  // UNIMPLEMENTED where the platform does not count (CPU).
  absl::StatusOr<DeviceMemory> Memory() const;
  PJRT_Device* handle() const { return handle_; }

 private:
  Device(const Api& api, PJRT_Device* handle, DeviceDescription description)
      : api_(&api), handle_(handle), description_(std::move(description)) {}

  const Api* api_;
  PJRT_Device* handle_;
  DeviceDescription description_;
};

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_DEVICE_H_
