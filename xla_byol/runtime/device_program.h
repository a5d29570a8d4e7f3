// A program of ours, compiled for the devices at hand.

#ifndef XLA_BYOL_RUNTIME_DEVICE_PROGRAM_H_
#define XLA_BYOL_RUNTIME_DEVICE_PROGRAM_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/executable_cache.h"
#include "xla_byol/pjrt/platform.h"
#include "xla_byol/runtime/process_place.h"
#include "xla_byol/step/train_step.h"

namespace xla_byol {

// Where programs run. Both must outlive what is made with it.
struct Runtime {
  const pjrt::Client* client;
  const pjrt::ExecutableCache* cache;

  // For building a program that fills all devices of all processes.
  StepOptions step_options() const;
  size_t devices() const { return client->devices().size(); }
  // This process among those that run together.
  ProcessPlace place() const;
};

// The backend that programs for a platform are built for.
graph::Target TargetOf(pjrt::Platform platform);

// The runtime's words for a shape.
pjrt::ArraySpec ArraySpecOf(const graph::Shape& shape);

template <typename T>
absl::Span<const std::byte> BytesOf(absl::Span<const T> values) {
  return {reinterpret_cast<const std::byte*>(values.data()),
          values.size() * sizeof(T)};
}

// Move-only; on the heap, since a StepRunner points at it.
class DeviceProgram {
 public:
  // From the cache or by compiling; a damaged cache entry is a warning.
  static absl::StatusOr<DeviceProgram> Compile(const Runtime& runtime,
                                               StepProgram program);

  // What `export` compiled into `path`; see compiled_step.h.
  static absl::StatusOr<DeviceProgram> Load(const Runtime& runtime,
                                            StepProgram program,
                                            const std::string& path);

  const StepProgram& program() const { return program_; }
  const pjrt::LoadedExecutable& executable() const { return executable_; }
  bool from_cache() const { return from_cache_; }

  // Input `index` for one device, copied before this returns.
  absl::StatusOr<pjrt::Buffer> CopyInput(size_t index,
                                         absl::Span<const std::byte> data,
                                         size_t device) const;

 private:
  DeviceProgram(const pjrt::Client* client, StepProgram program,
                pjrt::LoadedExecutable executable, bool from_cache)
      : client_(client),
        program_(std::move(program)),
        executable_(std::move(executable)),
        from_cache_(from_cache) {}

  const pjrt::Client* client_;
  StepProgram program_;
  pjrt::LoadedExecutable executable_;
  bool from_cache_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_RUNTIME_DEVICE_PROGRAM_H_
