// An exchange through Gloo, the engine that PyTorch and JAX use between CPU
// hosts.

#ifndef XLA_BYOL_DISTRIBUTED_GLOO_EXCHANGE_H_
#define XLA_BYOL_DISTRIBUTED_GLOO_EXCHANGE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla_byol/collectives/exchange.h"
#include "xla_byol/distributed/process_group.h"

namespace xla_byol::distributed {

// Connects all processes of the group within `timeout`; UNIMPLEMENTED in builds
// without Gloo.
absl::StatusOr<std::unique_ptr<collectives::Exchange>> ConnectGloo(
    ProcessGroup& group, absl::Duration timeout, bool one_machine);

}  // namespace xla_byol::distributed

#endif  // XLA_BYOL_DISTRIBUTED_GLOO_EXCHANGE_H_
