// Builds without --config=cluster.

#include "xla_byol/distributed/pmix_group.h"

namespace xla_byol::distributed {

absl::StatusOr<std::unique_ptr<ProcessGroup>> JoinPmix() {
  return absl::UnimplementedError(
      "a launcher with PMIx started this process, which this build does not "
      "know; build it with --config=cluster (it takes Gloo and PMIx from "
      "Debian's packages)");
}

}  // namespace xla_byol::distributed
