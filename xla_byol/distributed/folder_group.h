// A process group in a folder that all processes see, for machines without a
// launcher that brings one:
//   train --processes=4 --process=2 --rendezvous=/shared/job7
// The folder may be one that earlier starts of the same job have used.

#ifndef XLA_BYOL_DISTRIBUTED_FOLDER_GROUP_H_
#define XLA_BYOL_DISTRIBUTED_FOLDER_GROUP_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla_byol/distributed/process_group.h"

namespace xla_byol::distributed {

// Waits until all `size` processes are there. Each writes a name of its own,
// new with every start, under its rank; process 0 writes down who takes part,
// and again whenever a name changes, until all have confirmed what they read.
// So what earlier starts left can neither be mistaken for a process nor for its
// values. INVALID_ARGUMENT for a rank out of range or a folder that cannot be
// written; ALREADY_EXISTS if a living process has the rank; DEADLINE_EXCEEDED
// with the ranks that did not come within `timeout`.
absl::StatusOr<std::unique_ptr<ProcessGroup>> JoinFolder(
    const std::string& folder, int rank, int size, absl::Duration timeout);

}  // namespace xla_byol::distributed

#endif  // XLA_BYOL_DISTRIBUTED_FOLDER_GROUP_H_
