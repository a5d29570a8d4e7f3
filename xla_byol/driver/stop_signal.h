// Ctrl-C and SIGTERM as a wish that the training loop grants.

#ifndef XLA_BYOL_DRIVER_STOP_SIGNAL_H_
#define XLA_BYOL_DRIVER_STOP_SIGNAL_H_

namespace xla_byol {

// Takes over SIGINT and SIGTERM for the rest of the process. Until
// HoldStopSignals the first one ends the process at once with kExitResumable:
// nothing would be lost.
void CatchStopSignals();

// While one of these lives, the first signal only sets StopRequested, and the
// second one ends the process at once with kExitResumable.
class HoldStopSignals {
 public:
  HoldStopSignals();
  ~HoldStopSignals();
  HoldStopSignals(const HoldStopSignals&) = delete;
  HoldStopSignals& operator=(const HoldStopSignals&) = delete;
};

bool StopRequested();

}  // namespace xla_byol

#endif  // XLA_BYOL_DRIVER_STOP_SIGNAL_H_
