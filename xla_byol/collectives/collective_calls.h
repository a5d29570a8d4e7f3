// The collectives of graph/lower_collectives.h as functions that CPU programs
// call: first among the devices of this process, in its memory, then between
// processes.

#ifndef XLA_BYOL_COLLECTIVES_COLLECTIVE_CALLS_H_
#define XLA_BYOL_COLLECTIVES_COLLECTIVE_CALLS_H_

#include "absl/status/status.h"
#include "xla_byol/collectives/exchange.h"
#include "xla_byol/pjrt/plugin.h"

namespace xla_byol::collectives {

// Who takes part.
struct CollectiveMembers {
  Exchange* exchange = nullptr;
  int process = 0;
  int processes = 1;
  int devices = 1;  // of each process
};

// From now on programs of `plugin` may make these calls, until
// RemoveCollectiveCalls: after that they fail. Once per process at a time; the
// exchange must live until then.
//
// The devices of a process that make the same call meet: the last to come does
// the work for all, the others wait for it. Sums are taken in the order of
// devices, so the same values give the same bits. That waiting threads cannot
// block each other: lower_collectives.h.
absl::Status InstallCollectiveCalls(const pjrt::Plugin& plugin,
                                    const CollectiveMembers& members);
void RemoveCollectiveCalls();

}  // namespace xla_byol::collectives

#endif  // XLA_BYOL_COLLECTIVES_COLLECTIVE_CALLS_H_
