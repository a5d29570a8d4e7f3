// `train`: from flags to a training run.

#ifndef XLA_BYOL_CLI_TRAIN_COMMAND_H_
#define XLA_BYOL_CLI_TRAIN_COMMAND_H_

#include <string>

#include "absl/status/status.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/training/trainer.h"

namespace xla_byol {

// What only `train` can be told, as the user wrote it.
struct TrainFlags {
  std::string dataset;  // a name or a folder; may be empty
  std::string profile;  // steps FROM:TO; empty: none
  TrainOptions options;
};

// Trains the run that --config, --set and `dataset` describe, on --platform's
// devices: see train_config.h. An empty run_dir is runs/<config's name>.
// CANCELLED if a signal stopped it: the same command resumes it.
absl::Status TrainCommand(const CommandLine& line, TrainFlags flags);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_TRAIN_COMMAND_H_
