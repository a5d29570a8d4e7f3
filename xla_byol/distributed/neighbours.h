// Which processes of a group run on one machine, and share its cores.

#ifndef XLA_BYOL_DISTRIBUTED_NEIGHBOURS_H_
#define XLA_BYOL_DISTRIBUTED_NEIGHBOURS_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla_byol/distributed/process_group.h"

namespace xla_byol::distributed {

struct Neighbours {
  bool one_machine = true;  // for all processes
  int cores = 1;            // that this process may run on
  int sharing = 1;          // processes that may run on just these, with it

  // How many threads this process should compute with.
  int threads() const { return cores > sharing ? cores / sharing : 1; }
};

// All processes of the group must ask.
absl::StatusOr<Neighbours> FindNeighbours(ProcessGroup& group,
                                          absl::Duration timeout);

}  // namespace xla_byol::distributed

#endif  // XLA_BYOL_DISTRIBUTED_NEIGHBOURS_H_
