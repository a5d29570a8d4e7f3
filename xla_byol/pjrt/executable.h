// Compiled programs: Executable (for inspection, perhaps of a machine that is
// not here) and LoadedExecutable (on this client's devices, ready to run).

#ifndef XLA_BYOL_PJRT_EXECUTABLE_H_
#define XLA_BYOL_PJRT_EXECUTABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/pjrt/api.h"
#include "xla_byol/pjrt/buffer.h"
#include "xla_byol/pjrt/named_value.h"
#include "xla_byol/pjrt/signature.h"

namespace xla_byol::pjrt {

// Bytes on one device.
struct CompiledMemory {
  int64_t argument_bytes = 0;
  int64_t output_bytes = 0;
  // The part of the outputs that lives in donated arguments' memory; more than
  // 0 proves that donation took effect.
  int64_t alias_bytes = 0;
  int64_t temp_bytes = 0;
  int64_t code_bytes = 0;
  // 0 when the plugin does not say.
  int64_t peak_bytes = 0;
};

struct OptimizedProgram {
  // "hlo", "hlo_with_config" (XLA's protos) or "mlir" (text).
  std::string format;
  std::string code;
};

// Move-only.
class Executable {
 public:
  Executable(const Api* api, PJRT_Executable* executable)
      : api_(api), handle_(executable, {api}) {}

  absl::StatusOr<std::string> Name() const;
  absl::StatusOr<CompiledMemory> Memory() const;
  // "flops", "bytes accessed", "optimal_seconds", ...; UNIMPLEMENTED where the
  // plugin does not count (GPU without hardware).
  absl::StatusOr<NamedValues> Cost() const;
  // The program after the compiler's passes.
  absl::StatusOr<OptimizedProgram> Optimized() const;
  absl::StatusOr<Signature> ReadSignature() const;
  // For Client::Deserialize of the same plugin version.
  absl::StatusOr<std::string> Serialize() const;

 private:
  const Api* api_;
  Handle<PJRT_Executable, PJRT_Executable_Destroy_Args,
         &PJRT_Api::PJRT_Executable_Destroy,
         &PJRT_Executable_Destroy_Args::executable>
      handle_;
};

// Move-only; the client must outlive it. Made by Client::Compile and
// Client::Deserialize. Run it with a Runner.
class LoadedExecutable {
 public:
  const Executable& executable() const { return executable_; }
  const Signature& signature() const { return signature_; }
  // This process's devices it runs on, one replica each.
  absl::Span<PJRT_Device* const> devices() const { return devices_; }

  // One run, for when speed does not matter: `arguments` as for Runner::Run,
  // results in fresh buffers.
  absl::StatusOr<std::vector<Buffer>> Execute(
      absl::Span<Buffer* const> arguments) const;

  // The C object, still owned by this one.
  PJRT_LoadedExecutable* handle() const { return handle_.get(); }

 private:
  friend class Client;
  friend class Runner;
  using LoadedHandle =
      Handle<PJRT_LoadedExecutable, PJRT_LoadedExecutable_Destroy_Args,
             &PJRT_Api::PJRT_LoadedExecutable_Destroy,
             &PJRT_LoadedExecutable_Destroy_Args::executable>;

  LoadedExecutable(const Api* api, LoadedHandle handle, Executable executable)
      : api_(api),
        handle_(std::move(handle)),
        executable_(std::move(executable)) {}
  static absl::StatusOr<LoadedExecutable> Make(
      const Api* api, PJRT_LoadedExecutable* executable);

  const Api* api_;
  LoadedHandle handle_;
  Executable executable_;
  Signature signature_;
  std::vector<PJRT_Device*> devices_;
};

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_EXECUTABLE_H_
