// --processes, --process, --rendezvous and --peer_timeout: the flags of
// programs that run as several processes.

#ifndef XLA_BYOL_CLI_PROCESS_FLAGS_H_
#define XLA_BYOL_CLI_PROCESS_FLAGS_H_

#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "xla_byol/distributed/processes.h"
#include "xla_byol/pjrt/client.h"

namespace xla_byol {

// What a program has to work with.
struct Machine {
  const pjrt::Client* client;
  // Alone it is there too, and does nothing.
  distributed::Processes* processes;
};

// Joins the other processes, if there are any, makes the client of
// --platform, --devices and --plugin, calls `run` with both, and tells the
// others how it ended. A process that is gone is ABORTED, whatever `run` says.
absl::Status RunTogether(absl::FunctionRef<absl::Status(const Machine&)> run);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_PROCESS_FLAGS_H_
