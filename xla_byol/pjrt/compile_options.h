// How a program is compiled.

#ifndef XLA_BYOL_PJRT_COMPILE_OPTIONS_H_
#define XLA_BYOL_PJRT_COMPILE_OPTIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_byol/pjrt/platform.h"

namespace xla_byol::pjrt {

struct CompileOptions {
  // Copies of the program that run together, one a device, each with its own
  // arguments. Must be what the program's collectives expect.
  int num_replicas = 1;

  // The id of the device of each replica (DeviceDescription::id). Empty: the
  // plugin's own choice, which is also right for a topology.
  std::vector<int> device_ids;

  // XLA's flags for this program only, by their field name without dashes:
  // {"xla_cpu_enable_fast_math", false}. An unknown name is an error.
  using Flag = std::variant<std::string, bool, int64_t, double>;
  std::map<std::string, Flag> flags;

  // XLA's wire form for a platform's compiler, with the flags that it needs to
  // be right unless `flags` has them. The same options give the same bytes, so
  // the bytes can be part of a cache's key. INVALID_ARGUMENT for options that
  // contradict each other.
  absl::StatusOr<std::string> Serialize(Platform platform) const;
};

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_COMPILE_OPTIONS_H_
