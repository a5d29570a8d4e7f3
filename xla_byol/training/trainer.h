// `train`: everything around the loop.

#ifndef XLA_BYOL_TRAINING_TRAINER_H_
#define XLA_BYOL_TRAINING_TRAINER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/config/config.h"
#include "xla_byol/input/dataset.h"
#include "xla_byol/input/loader.h"
#include "xla_byol/runtime/process_place.h"

namespace xla_byol {

struct TrainOptions {
  // As the user gave them; empty: runs/<config's name>, and where TFDS has its
  // data.
  std::string run_dir;
  std::string data_dir;
  // Goes on with a changed config.
  bool branch = false;
  int reader_threads = 0;  // 0: one for each core
  // A step that `export` compiled, or its folder; empty: compiled here.
  std::string executable;
};

// Trains the run that --config and --set describe (without --config: the
// Fashion-MNIST demo), or goes on with it, and evaluates it at the end.
// Cancelled if a signal stopped it: the same command goes on.
absl::Status Train(const CommandLine& line, const TrainOptions& options);

// The loader of a config's training images, from step `first_step` on.
absl::StatusOr<std::unique_ptr<input::Loader>> MakeTrainingLoader(
    const Config& config, const input::Dataset& dataset,
    const ProcessPlace& place, int threads, int64_t first_step);

// Says in which way a config does not fit a data set.
absl::Status CheckDataset(const Config& config, const input::Dataset& dataset);

}  // namespace xla_byol

#endif  // XLA_BYOL_TRAINING_TRAINER_H_
