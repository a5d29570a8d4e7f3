#include "xla_byol/pjrt/device.h"

#include <utility>

#include "xla_byol/base/status_macros.h"

namespace xla_byol::pjrt {

absl::StatusOr<DeviceDescription> DeviceDescription::Read(
    const Api& api, PJRT_DeviceDescription* description) {
  DeviceDescription result;
  Padded<PJRT_DeviceDescription_Id_Args> id;
  id.device_description = description;
  RETURN_IF_ERROR(api.Call(&PJRT_Api::PJRT_DeviceDescription_Id, id));
  result.id = id.id;
  Padded<PJRT_DeviceDescription_ProcessIndex_Args> process;
  process.device_description = description;
  RETURN_IF_ERROR(
      api.Call(&PJRT_Api::PJRT_DeviceDescription_ProcessIndex, process));
  result.process_index = process.process_index;
  Padded<PJRT_DeviceDescription_Kind_Args> kind;
  kind.device_description = description;
  RETURN_IF_ERROR(api.Call(&PJRT_Api::PJRT_DeviceDescription_Kind, kind));
  result.kind.assign(kind.device_kind, kind.device_kind_size);
  Padded<PJRT_DeviceDescription_ToString_Args> name;
  name.device_description = description;
  RETURN_IF_ERROR(api.Call(&PJRT_Api::PJRT_DeviceDescription_ToString, name));
  result.name.assign(name.to_string, name.to_string_size);
  Padded<PJRT_DeviceDescription_Attributes_Args> attributes;
  attributes.device_description = description;
  RETURN_IF_ERROR(
      api.Call(&PJRT_Api::PJRT_DeviceDescription_Attributes, attributes));
  result.attributes =
      FromPjrt(attributes.attributes, attributes.num_attributes);
  return result;
}

absl::StatusOr<Device> Device::Read(const Api& api, PJRT_Device* device) {
  Padded<PJRT_Device_GetDescription_Args> args;
  args.device = device;
  RETURN_IF_ERROR(api.Call(&PJRT_Api::PJRT_Device_GetDescription, args));
  ASSIGN_OR_RETURN(DeviceDescription description,
                   DeviceDescription::Read(api, args.device_description));
  return Device(api, device, std::move(description));
}

absl::StatusOr<DeviceMemory> Device::Memory() const {
  Padded<PJRT_Device_MemoryStats_Args> args;
  args.device = handle_;
  RETURN_IF_ERROR(api_->Call(&PJRT_Api::PJRT_Device_MemoryStats, args));
  return DeviceMemory{
      args.bytes_in_use,
      args.peak_bytes_in_use_is_set ? args.peak_bytes_in_use : 0,
      args.bytes_limit_is_set ? args.bytes_limit : 0};
}

}  // namespace xla_byol::pjrt
