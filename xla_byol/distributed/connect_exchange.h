// Which engine processes exchange sums with.

#ifndef XLA_BYOL_DISTRIBUTED_CONNECT_EXCHANGE_H_
#define XLA_BYOL_DISTRIBUTED_CONNECT_EXCHANGE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla_byol/collectives/exchange.h"
#include "xla_byol/distributed/neighbours.h"
#include "xla_byol/distributed/process_group.h"

namespace xla_byol::distributed {

// What the environment asks for: "memory", "gloo", or "auto".
std::string WantedExchange();

// Connects all processes of the group, which want the same, within `timeout`.
// "auto" is shared memory if all are on one machine and can have some, and Gloo
// otherwise; UNIMPLEMENTED if that is not in this build.
absl::StatusOr<std::unique_ptr<collectives::Exchange>> ConnectExchange(
    ProcessGroup& group, const Neighbours& neighbours, absl::string_view wanted,
    absl::Duration timeout);

}  // namespace xla_byol::distributed

#endif  // XLA_BYOL_DISTRIBUTED_CONNECT_EXCHANGE_H_
