// Ctrl-C and SIGTERM as a wish that the training loop grants.

#ifndef XLA_BYOL_RUNTIME_STOP_SIGNAL_H_
#define XLA_BYOL_RUNTIME_STOP_SIGNAL_H_

#include "absl/status/status.h"

namespace xla_byol {

// Takes over SIGINT and SIGTERM for the rest of the process. Until
// HoldStopSignals the first one ends the process at once with `exit_code`:
// nothing would be lost.
void CatchStopSignals(int exit_code);

// While one of these lives, the first signal only sets StopRequested, and the
// second one ends the process at once with that exit code.
class HoldStopSignals {
 public:
  HoldStopSignals();
  ~HoldStopSignals();
  HoldStopSignals(const HoldStopSignals&) = delete;
  HoldStopSignals& operator=(const HoldStopSignals&) = delete;
};

bool StopRequested();

// CANCELLED once a stop is requested: for work that can be given up.
absl::Status CheckNotStopped();

}  // namespace xla_byol

#endif  // XLA_BYOL_RUNTIME_STOP_SIGNAL_H_
