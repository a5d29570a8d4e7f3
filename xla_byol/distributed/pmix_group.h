// The process group of a launcher that speaks PMIx: mpirun, srun --mpi=pmix.

#ifndef XLA_BYOL_DISTRIBUTED_PMIX_GROUP_H_
#define XLA_BYOL_DISTRIBUTED_PMIX_GROUP_H_

#include <memory>

#include "absl/status/statusor.h"
#include "xla_byol/distributed/process_group.h"

namespace xla_byol::distributed {

// One per process. UNIMPLEMENTED in builds without --config=cluster;
// UNAVAILABLE if no launcher listens.
absl::StatusOr<std::unique_ptr<ProcessGroup>> JoinPmix();

}  // namespace xla_byol::distributed

#endif  // XLA_BYOL_DISTRIBUTED_PMIX_GROUP_H_
