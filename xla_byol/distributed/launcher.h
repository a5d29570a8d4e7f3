// Who started this process, and as which of how many: from flags, or from the
// environment that launchers set.

#ifndef XLA_BYOL_DISTRIBUTED_LAUNCHER_H_
#define XLA_BYOL_DISTRIBUTED_LAUNCHER_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace xla_byol::distributed {

// What the command line says; zeros and empty where it says nothing.
struct LaunchFlags {
  int processes = 0;
  int process = -1;
  std::string rendezvous;
};

enum class Meeting {
  kNone,    // alone
  kFolder,  // --rendezvous
  kPmix,    // a PMIx server of the launcher
};

struct Launch {
  Meeting meeting = Meeting::kNone;
  int process = 0;
  int processes = 1;
  std::string launcher;  // for people: "mpirun", "srun", "the command line"
  std::string rendezvous;
};

// A variable's value; empty if it is not set.
using Environment = std::function<std::string(const char* name)>;
std::string ProcessEnvironment(const char* name);

// A launcher that started one process is none. With --rendezvous rank and
// number may come from a launcher without PMIx. INVALID_ARGUMENT, with both
// sides, for what contradicts each other or is not enough.
absl::StatusOr<Launch> FindLaunch(const LaunchFlags& flags,
                                  const Environment& environment);

}  // namespace xla_byol::distributed

#endif  // XLA_BYOL_DISTRIBUTED_LAUNCHER_H_
