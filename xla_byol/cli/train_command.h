// `train`: from flags to a training run.

#ifndef XLA_BYOL_CLI_TRAIN_COMMAND_H_
#define XLA_BYOL_CLI_TRAIN_COMMAND_H_

#include <string>

#include "absl/status/status.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/training/trainer.h"

namespace xla_byol {

// Trains the run that --config, --set and `dataset` (a name or a folder, may be
// empty) describe, on --platform's devices: see train_config.h. Paths in
// `options` are as the user gave them; an empty run_dir is runs/<config's
// name>. CANCELLED if a signal stopped it: the same command resumes it.
absl::Status TrainCommand(const CommandLine& line, const std::string& dataset,
                          TrainOptions options);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_TRAIN_COMMAND_H_
