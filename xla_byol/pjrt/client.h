// A plugin at work: devices, transfers, compilation.

#ifndef XLA_BYOL_PJRT_CLIENT_H_
#define XLA_BYOL_PJRT_CLIENT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/pjrt/buffer.h"
#include "xla_byol/pjrt/compile_options.h"
#include "xla_byol/pjrt/device.h"
#include "xla_byol/pjrt/executable.h"
#include "xla_byol/pjrt/key_value_store.h"
#include "xla_byol/pjrt/plugin.h"

namespace xla_byol::pjrt {

// Fields of other platforms than the plugin's are ignored.
struct ClientOptions {
  // Processes that run together, and which of them this is. The CPU plugin
  // knows nothing of others: its programs have this process's replicas only,
  // and custom calls in place of collectives (graph::Backend). The GPU plugin
  // finds the others through `key_value_store`; the TPU plugin by itself.
  int process = 0;
  int processes = 1;
  std::shared_ptr<KeyValueStore> key_value_store;
  // CPU: virtual devices, which share the machine's cores.
  int cpu_device_count = 1;
  // CPU: threads that compute; 0 for one on each core. The first client of a
  // process decides, and PJRT_NPROC of the environment wins.
  int cpu_threads = 0;
  // GPU: the share of the device's memory that the allocator may take, and
  // whether it takes it at once (faster) or as needed (kinder to neighbours).
  float gpu_memory_fraction = 0.75f;
  bool gpu_preallocate = true;
  // GPU: which devices to use; empty for all.
  std::vector<int64_t> gpu_visible_devices;
  // Passed on as they are, and win over the fields above. CPU and GPU refuse
  // names they do not know.
  NamedValues extra;
};

// An array on its way to a device. The source must stay alive and unchanged
// until `host_free` happened; the buffer can be used at once.
struct Transfer {
  Buffer buffer;
  Event host_free;
};

// Move-only. Everything made by a client must be destroyed before it.
// Thread-safe.
class Client {
 public:
  // On a machine without the platform's hardware this is FAILED_PRECONDITION,
  // at once.
  static absl::StatusOr<Client> Create(const Plugin& plugin,
                                       const ClientOptions& options = {});

  const Plugin& plugin() const { return *plugin_; }
  // This process's devices.
  absl::Span<const Device> devices() const { return devices_; }
  // All processes' devices; the number of replicas that fill a pod.
  int global_device_count() const { return global_device_count_; }
  int process_index() const { return process_index_; }
  // Replicas that a compiled program has: one for each device that the plugin
  // knows of, which on CPU are this process's.
  int program_replicas() const { return program_replicas_; }
  const std::string& platform_version() const { return platform_version_; }

  // Copies dense major-to-minor `data` to `device`; `data` is free again when
  // the call returns.
  absl::StatusOr<Buffer> CopyFromHost(absl::Span<const std::byte> data,
                                      const ArraySpec& spec,
                                      const Device& device) const;
  // The same for typed elements (not bool: pred's bytes are uint8_t, and need
  // a spec).
  template <typename T>
  absl::StatusOr<Buffer> CopyFromHost(absl::Span<const T> values,
                                      ArraySpec::Dims dims,
                                      const Device& device) const;
  // Starts the copy without making one in between.
  absl::StatusOr<Transfer> StartTransfer(absl::Span<const std::byte> data,
                                         const ArraySpec& spec,
                                         const Device& device) const;

  // Compiles StableHLO (text or bytecode) for this client's devices.
  absl::StatusOr<LoadedExecutable> Compile(absl::string_view program,
                                           const CompileOptions& options) const;
  // Loads what Executable::Serialize wrote, with the same plugin version.
  absl::StatusOr<LoadedExecutable> Deserialize(absl::string_view bytes) const;

 private:
  using ClientHandle =
      Handle<PJRT_Client, PJRT_Client_Destroy_Args,
             &PJRT_Api::PJRT_Client_Destroy, &PJRT_Client_Destroy_Args::client>;

  Client(const Plugin& plugin, PJRT_Client* client)
      : plugin_(&plugin), handle_(client, {&plugin.api()}) {}
  absl::Status ReadProperties();
  absl::StatusOr<Transfer> FromHost(absl::Span<const std::byte> data,
                                    const ArraySpec& spec, const Device& device,
                                    PJRT_HostBufferSemantics semantics) const;

  const Plugin* plugin_;
  // The plugin calls it until the client is gone.
  std::shared_ptr<KeyValueStore> key_value_store_;
  ClientHandle handle_;
  std::vector<Device> devices_;
  int global_device_count_ = 0;
  int process_index_ = 0;
  int program_replicas_ = 0;
  std::string platform_version_;
};

template <typename T>
absl::StatusOr<Buffer> Client::CopyFromHost(absl::Span<const T> values,
                                            ArraySpec::Dims dims,
                                            const Device& device) const {
  return CopyFromHost(
      absl::MakeConstSpan(reinterpret_cast<const std::byte*>(values.data()),
                          values.size() * sizeof(T)),
      ArraySpec{ElementTypeOf<T>(), std::move(dims)}, device);
}

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_CLIENT_H_
