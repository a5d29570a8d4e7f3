// Builds without --config=cluster.

#include "xla_byol/distributed/gloo_exchange.h"

namespace xla_byol::distributed {

absl::StatusOr<std::unique_ptr<collectives::Exchange>> ConnectGloo(
    ProcessGroup&, absl::Duration, bool) {
  return absl::UnimplementedError(
      "this build has no collectives between CPU processes of several "
      "machines; build it with --config=cluster (it takes Gloo and PMIx from "
      "Debian's packages)");
}

}  // namespace xla_byol::distributed
