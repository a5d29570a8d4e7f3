// A training run from its start or its newest checkpoint to its report:
// everything around the loop.

#ifndef XLA_BYOL_TRAINING_TRAINER_H_
#define XLA_BYOL_TRAINING_TRAINER_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/distributed/processes.h"
#include "xla_byol/profiling/step_profiler.h"
#include "xla_byol/runtime/device_program.h"

namespace xla_byol {

struct TrainOptions {
  std::string run_dir;   // where the run is kept
  std::string data_dir;  // empty: where TFDS has its data
  // Resumes with a changed config.
  bool branch = false;
  int reader_threads = 0;  // 0: one for each core
  // A step that `export` compiled, or its folder; empty: compiled here.
  std::string executable;
  // The steps of which a profile is made (profiling/step_profiler.h).
  std::optional<profiling::StepRange> profile;
  // Those that train together; null: libtpu's, or nobody.
  distributed::Processes* processes = nullptr;
};

// Trains the run of a resolved config that is valid for the runtime's devices,
// or resumes it, and evaluates it at the end. CANCELLED if a signal that
// stop_signal.h caught stopped it: the same call resumes it.
absl::Status Train(const Runtime& runtime, const Config& config,
                   const TrainOptions& options);

}  // namespace xla_byol

#endif  // XLA_BYOL_TRAINING_TRAINER_H_
