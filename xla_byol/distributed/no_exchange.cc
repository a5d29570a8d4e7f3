// Builds without --config=cluster.

#include "xla_byol/distributed/exchange.h"

namespace xla_byol::distributed {

absl::StatusOr<std::unique_ptr<Exchange>> ConnectExchange(ProcessGroup&,
                                                          absl::Duration) {
  return absl::UnimplementedError(
      "this build has no collectives between CPU processes; build it with "
      "--config=cluster (it takes Gloo and PMIx from Debian's packages)");
}

}  // namespace xla_byol::distributed
