#include "xla_byol/pjrt/client.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/pjrt/program.h"

namespace xla_byol::pjrt {
absl::StatusOr<Client> Client::Create(const Plugin& plugin,
                                      const ClientOptions& options) {
  const PlatformInfo& info = Info(plugin.platform());
  // libtpu would wait for hardware that will not come.
  if (!HardwarePresent(plugin.platform())) {
    return absl::FailedPreconditionError(absl::StrCat(
        "this machine has no ", info.name,
        " device; programs can be compiled for one here but not run (use "
        "--platform=cpu to run)"));
  }
  ASSIGN_OR_RETURN(NamedValues own, info.client_options(options));
  // The user's win over ours.
  NamedValues values = options.extra;
  values.merge(own);
  const std::vector<PJRT_NamedValue> named = ToPjrt(values);
  Padded<PJRT_Client_Create_Args> args;
  args.create_options = named.data();
  args.num_options = named.size();
  if (options.key_value_store != nullptr) {
    args.kv_get_callback = KvGet;
    args.kv_get_user_arg = options.key_value_store.get();
    args.kv_try_get_callback = KvTryGet;
    args.kv_try_get_user_arg = options.key_value_store.get();
    args.kv_put_callback = KvPut;
    args.kv_put_user_arg = options.key_value_store.get();
  }
  RETURN_IF_ERROR(plugin.api().Call(&PJRT_Api::PJRT_Client_Create, args));
  Client client(plugin, args.client);
  client.key_value_store_ = options.key_value_store;
  RETURN_IF_ERROR(client.ReadProperties());
  if (plugin.platform() == Platform::kCpu && options.processes > 1) {
    client.process_index_ = options.process;
    client.global_device_count_ *= options.processes;
  }
  return client;
}

absl::Status Client::ReadProperties() {
  const Api& api = plugin_->api();
  Padded<PJRT_Client_PlatformName_Args> name;
  name.client = handle_.get();
  RETURN_IF_ERROR(api.Call(&PJRT_Api::PJRT_Client_PlatformName, name));
  const absl::string_view actual(name.platform_name, name.platform_name_size);
  const PlatformInfo& info = Info(plugin_->platform());
  if (actual != info.client_name) {
    return absl::InvalidArgumentError(
        absl::StrCat(plugin_->path(), " is a plugin for '", actual,
                     "', but was asked to be ", info.name));
  }
  Padded<PJRT_Client_PlatformVersion_Args> version;
  version.client = handle_.get();
  RETURN_IF_ERROR(api.Call(&PJRT_Api::PJRT_Client_PlatformVersion, version));
  platform_version_.assign(version.platform_version,
                           version.platform_version_size);
  Padded<PJRT_Client_ProcessIndex_Args> process;
  process.client = handle_.get();
  RETURN_IF_ERROR(api.Call(&PJRT_Api::PJRT_Client_ProcessIndex, process));
  process_index_ = process.process_index;
  Padded<PJRT_Client_Devices_Args> all;
  all.client = handle_.get();
  RETURN_IF_ERROR(api.Call(&PJRT_Api::PJRT_Client_Devices, all));
  global_device_count_ = static_cast<int>(all.num_devices);
  program_replicas_ = global_device_count_;
  Padded<PJRT_Client_AddressableDevices_Args> own;
  own.client = handle_.get();
  RETURN_IF_ERROR(api.Call(&PJRT_Api::PJRT_Client_AddressableDevices, own));
  for (size_t i = 0; i < own.num_addressable_devices; ++i) {
    ASSIGN_OR_RETURN(Device device,
                     Device::Read(api, own.addressable_devices[i]));
    devices_.push_back(std::move(device));
  }
  return absl::OkStatus();
}

absl::StatusOr<Transfer> Client::FromHost(
    absl::Span<const std::byte> data, const ArraySpec& spec,
    const Device& device, PJRT_HostBufferSemantics semantics) const {
  if (static_cast<int64_t>(data.size()) != spec.byte_size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("host to device: ", spec.ToString(), " takes ",
                     spec.byte_size(), " bytes, got ", data.size()));
  }
  Padded<PJRT_Client_BufferFromHostBuffer_Args> args;
  args.client = handle_.get();
  args.data = data.data();
  args.type = static_cast<PJRT_Buffer_Type>(spec.type);
  args.dims = spec.dims.data();
  args.num_dims = spec.dims.size();
  args.host_buffer_semantics = semantics;
  args.device = device.handle();
  const Api* api = &plugin_->api();
  RETURN_IF_ERROR(api->Call(&PJRT_Api::PJRT_Client_BufferFromHostBuffer, args));
  return Transfer{
      Buffer(args.buffer, Placement::Of(api, device.handle(), spec)),
      Event(api, args.done_with_host_buffer)};
}

absl::StatusOr<Buffer> Client::CopyFromHost(absl::Span<const std::byte> data,
                                            const ArraySpec& spec,
                                            const Device& device) const {
  ASSIGN_OR_RETURN(Transfer transfer,
                   FromHost(data, spec, device,
                            PJRT_HostBufferSemantics_kImmutableOnlyDuringCall));
  return std::move(transfer.buffer);
}

absl::StatusOr<Transfer> Client::StartTransfer(absl::Span<const std::byte> data,
                                               const ArraySpec& spec,
                                               const Device& device) const {
  return FromHost(data, spec, device,
                  PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes);
}

absl::StatusOr<LoadedExecutable> Client::Compile(
    absl::string_view program, const CompileOptions& options) const {
  ASSIGN_OR_RETURN(std::string serialized,
                   options.Serialize(plugin_->platform()));
  Padded<PJRT_Program> source = MlirProgram(program);
  Padded<PJRT_Client_Compile_Args> args;
  args.client = handle_.get();
  args.program = &source;
  args.compile_options = serialized.data();
  args.compile_options_size = serialized.size();
  const Api* api = &plugin_->api();
  RETURN_IF_ERROR(
      CompileError(api->Call(&PJRT_Api::PJRT_Client_Compile, args), program));
  return LoadedExecutable::Make(api, args.executable);
}

absl::StatusOr<LoadedExecutable> Client::Deserialize(
    absl::string_view bytes) const {
  Padded<PJRT_Executable_DeserializeAndLoad_Args> args;
  args.client = handle_.get();
  args.serialized_executable = bytes.data();
  args.serialized_executable_size = bytes.size();
  const Api* api = &plugin_->api();
  RETURN_IF_ERROR(
      api->Call(&PJRT_Api::PJRT_Executable_DeserializeAndLoad, args));
  return LoadedExecutable::Make(api, args.loaded_executable);
}

}  // namespace xla_byol::pjrt
