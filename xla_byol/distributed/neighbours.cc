#include "xla_byol/distributed/neighbours.h"

#include <sched.h>

#include <string>
#include <thread>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/distributed/sockets.h"

namespace xla_byol::distributed {
namespace {

// Of this start of this machine, however many have its name. Containers have
// their machine's.
std::string MachineId() {
  const auto id = ReadFile("/proc/sys/kernel/random/boot_id");
  return id.ok() ? std::string(absl::StripAsciiWhitespace(*id)) : HostName();
}

// The cores that this process may run on; launchers may give each process some
// of its own.
std::string Cores(int& count) {
  count = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return "all";
  count = CPU_COUNT(&set);
  std::string list;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) absl::StrAppend(&list, ",", i);
  }
  return list;
}

}  // namespace

absl::StatusOr<Neighbours> FindNeighbours(ProcessGroup& group,
                                          absl::Duration timeout) {
  Neighbours neighbours;
  const std::string machine = MachineId();
  const std::string cores = Cores(neighbours.cores);
  RETURN_IF_ERROR(group.Put("machine", absl::StrCat(machine, " ", cores)));
  for (int rank = 0; rank < group.size(); ++rank) {
    if (rank == group.rank()) continue;
    ASSIGN_OR_RETURN(const std::string text,
                     group.Get(rank, "machine", timeout));
    const std::pair<std::string, std::string> other =
        absl::StrSplit(text, absl::MaxSplits(' ', 1));
    if (other.first != machine) {
      neighbours.one_machine = false;
    } else if (other.second == cores) {
      ++neighbours.sharing;
    }
  }
  return neighbours;
}

}  // namespace xla_byol::distributed
