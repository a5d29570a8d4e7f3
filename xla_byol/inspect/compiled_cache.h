// Steps that were compiled for machines that are not here, kept on disk: a
// second export of the same step need not wait for the compiler. (Programs that
// run here have pjrt/executable_cache.h.)

#ifndef XLA_BYOL_INSPECT_COMPILED_CACHE_H_
#define XLA_BYOL_INSPECT_COMPILED_CACHE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla_byol/pjrt/executable.h"
#include "xla_byol/pjrt/topology.h"

namespace xla_byol {

// All that is asked of a compiled step, as data.
struct CompiledStep {
  pjrt::OptimizedProgram optimized;  // no code: the plugin does not say
  std::optional<pjrt::CompiledMemory> memory;
  std::optional<double> flops, bytes_accessed, optimal_seconds;
  std::string executable;  // serialized; empty where it cannot be
  double compile_seconds = 0;
};

// Asks the executable; what the plugin does not say is left out.
CompiledStep DescribeCompiled(const pjrt::Executable& executable);

// One file in `directory` for each key: the program, the topology, the plugin's
// build and the environment's XLA_FLAGS and LIBTPU_INIT_ARGS. Files end with a
// CRC-32C and hold their key; one that is damaged or belongs to another key is
// as good as none.
class CompiledCache {
 public:
  // Made when the first entry is stored. Empty: no cache.
  explicit CompiledCache(std::string directory);

  std::optional<CompiledStep> Find(const pjrt::Topology& topology,
                                   absl::string_view program) const;
  absl::Status Store(const pjrt::Topology& topology, absl::string_view program,
                     const CompiledStep& step) const;

 private:
  std::string directory_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_COMPILED_CACHE_H_
