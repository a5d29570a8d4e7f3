// Compiled programs kept on disk, so that the second start of a run need not
// compile.

#ifndef XLA_BYOL_PJRT_EXECUTABLE_CACHE_H_
#define XLA_BYOL_PJRT_EXECUTABLE_CACHE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/compile_options.h"
#include "xla_byol/pjrt/executable.h"

namespace xla_byol::pjrt {

// A folder with one file for each compiled program.
//
// An entry belongs to a key: the program, the compile options, XLA_FLAGS, the
// plugin's fingerprint, the platform's version, the client's devices and this
// machine's CPU (the CPU plugin generates code for it). The file's name is a
// hash of the key and the file holds the key itself, so a collision is noticed.
//
// File format, numbers little-endian:
//   "XBYOLEX1"              8 bytes, the last one is the format's version
//   key size, payload size  uint64 each
//   key, payload            the payload is what Executable::Serialize gave
//   CRC-32C                 uint32, of everything before it
//
// An entry that is cut short, damaged, of another key, or that the plugin
// refuses is deleted and made again. Several processes may use one folder:
// files are written in one step, and of those that want a new entry at the same
// time one compiles it while the others wait.
class ExecutableCache {
 public:
  // `directory` is made when the first entry is written. Empty: no cache,
  // every Compile compiles.
  explicit ExecutableCache(std::string directory)
      : directory_(std::move(directory)) {}

  struct Result {
    LoadedExecutable executable;
    // Whether compilation was skipped.
    bool from_cache = false;
    // Why an entry that was there could not be used, or why a new one could
    // not be written; empty when all went well. Neither stops a run.
    std::string note;
  };

  // The compiled program, from the cache if it has it.
  absl::StatusOr<Result> Compile(const Client& client,
                                 absl::string_view program,
                                 const CompileOptions& options) const;

  // The file of an entry, whether it exists or not.
  absl::StatusOr<std::string> PathOf(const Client& client,
                                     absl::string_view program,
                                     const CompileOptions& options) const;

 private:
  std::string directory_;
};

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_EXECUTABLE_CACHE_H_
