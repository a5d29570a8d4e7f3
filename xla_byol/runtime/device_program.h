// A program of ours, compiled for the devices at hand.

#ifndef XLA_BYOL_RUNTIME_DEVICE_PROGRAM_H_
#define XLA_BYOL_RUNTIME_DEVICE_PROGRAM_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/executable_cache.h"
#include "xla_byol/pjrt/platform.h"
#include "xla_byol/program/named_program.h"
#include "xla_byol/program/program_builder.h"
#include "xla_byol/runtime/bound_program.h"
#include "xla_byol/runtime/process_place.h"

namespace xla_byol {

// Where programs run. Both must outlive what is made with it.
struct Runtime {
  const pjrt::Client* client;
  const pjrt::ExecutableCache* cache;

  // For building a program that fills all devices of all processes.
  ProgramOptions program_options() const;
  size_t devices() const { return client->devices().size(); }
  // This process among those that run together.
  ProcessPlace place() const;
  // Whose convolutions programs use here, for people: "oneDNN 3.2.0 with
  // AVX-512"; empty where the platform leaves no choice.
  std::string convolutions() const;
};

// What programs for a platform are built for, wherever they will run.
graph::Backend BackendOf(pjrt::Platform platform);
// What programs are built for that this process will run: with our own kernels
// where the plugin takes them.
graph::Backend BackendOf(const pjrt::Plugin& plugin);
// The same for all processes of a client together.
graph::Backend BackendOf(const pjrt::Client& client);

// Move-only. What Bind gives points at it: then it must stay where it is.
class DeviceProgram {
 public:
  // From the cache or by compiling; a damaged cache entry is a warning.
  static absl::StatusOr<DeviceProgram> Compile(const Runtime& runtime,
                                               NamedProgram program);

  // What `export` compiled into `path`; see executable_file.h.
  static absl::StatusOr<DeviceProgram> Load(const Runtime& runtime,
                                            NamedProgram program,
                                            const std::string& path);

  const NamedProgram& program() const { return program_; }
  const pjrt::LoadedExecutable& executable() const { return executable_; }
  bool from_cache() const { return from_cache_; }

  // With buffers of its own. It must not outlive this.
  BoundProgram Bind() const {
    return BoundProgram(*client_, executable_, program_);
  }

 private:
  DeviceProgram(const pjrt::Client* client, NamedProgram program,
                pjrt::LoadedExecutable executable, bool from_cache)
      : client_(client),
        program_(std::move(program)),
        executable_(std::move(executable)),
        from_cache_(from_cache) {}

  const pjrt::Client* client_;
  NamedProgram program_;
  pjrt::LoadedExecutable executable_;
  bool from_cache_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_RUNTIME_DEVICE_PROGRAM_H_
