// What processes that train together must have in common; otherwise they would
// compute nonsense side by side.

#ifndef XLA_BYOL_TRAINING_AGREEMENT_H_
#define XLA_BYOL_TRAINING_AGREEMENT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla_byol/checkpoint/checkpoint.h"
#include "xla_byol/config/config.h"
#include "xla_byol/distributed/processes.h"
#include "xla_byol/input/dataset.h"

namespace xla_byol {

// FAILED_PRECONDITION, in all processes and with what differs, unless all have
// the same config, images (some of them are compared) and program. With null
// `processes` nothing is compared.
absl::Status CheckSameRun(distributed::Processes* processes,
                          const Config& config, const input::Dataset& images,
                          absl::string_view program);
// The same for the state that they begin with.
absl::Status CheckSameCheckpoint(distributed::Processes* processes,
                                 const Checkpoint& checkpoint);

}  // namespace xla_byol

#endif  // XLA_BYOL_TRAINING_AGREEMENT_H_
