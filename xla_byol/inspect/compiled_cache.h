// Steps that were compiled for machines that are not here, kept on disk: a
// second export of the same step need not wait for the compiler. (Programs that
// run here have pjrt/executable_cache.h.)

#ifndef XLA_BYOL_INSPECT_COMPILED_CACHE_H_
#define XLA_BYOL_INSPECT_COMPILED_CACHE_H_

#include <cstdint>
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

// A ResNet-50's step is 0.2 GB, most of it code.
constexpr int64_t kCompiledCacheBytes = 4'000'000'000;

// All that decides what the compiler makes: the program, the topology, the
// plugin's build and the environment's XLA_FLAGS and LIBTPU_INIT_ARGS.
std::string CompilationKey(const pjrt::Topology& topology,
                           absl::string_view program);

// One file in `directory` for each key. Files end with a CRC-32C and hold their
// key; one that is damaged or belongs to another key is as good as none.
class CompiledCache {
 public:
  // The directory is made when the first entry is stored; empty: no cache.
  // Entries that were not used for longest are removed when a new one makes
  // more than `max_bytes` of them all; the new one stays in any case.
  explicit CompiledCache(std::string directory,
                         int64_t max_bytes = kCompiledCacheBytes);

  std::optional<CompiledStep> Find(const std::string& key) const;
  absl::Status Store(const std::string& key, const CompiledStep& step) const;

 private:
  std::string directory_;
  int64_t max_bytes_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_COMPILED_CACHE_H_
