// What a plugin records about its devices: TPU and GPU plugins do, the CPU's
// does not.

#ifndef XLA_BYOL_PJRT_PROFILER_H_
#define XLA_BYOL_PJRT_PROFILER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_byol/pjrt/plugin.h"
#include "xla_byol/pjrt/profiler_abi.h"

namespace xla_byol::pjrt {

// One recording, from Start to Stop. Move-only; not thread-safe, but programs
// may run on any thread meanwhile. A plugin has one at a time.
class Profiler {
 public:
  // Begins to record. UNIMPLEMENTED for a plugin without a profiler.
  static absl::StatusOr<Profiler> Start(const Plugin& plugin);

  // Ends the recording and returns it: a serialized tensorflow.profiler.XSpace
  // (profiling/xspace.proto), perhaps with one more byte at the end. Once.
  absl::StatusOr<std::string> Stop();

 private:
  struct End {
    const profiler_abi::Api* api;
    void operator()(profiler_abi::Session* session) const;
  };

  Profiler(const profiler_abi::Api* api, profiler_abi::Session* session)
      : api_(api), session_(session, {api}) {}

  const profiler_abi::Api* api_;
  std::unique_ptr<profiler_abi::Session, End> session_;
};

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_PROFILER_H_
