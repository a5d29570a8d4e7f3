// `train`: from flags to a training run.

#ifndef XLA_BYOL_CLI_TRAIN_COMMAND_H_
#define XLA_BYOL_CLI_TRAIN_COMMAND_H_

#include <string>

#include "absl/status/status.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/training/trainer.h"

namespace xla_byol {

// Trains the run that --config and --set describe (without --config: the
// Fashion-MNIST demo) on --platform's devices. Paths in `options` are as the
// user gave them; an empty run_dir is runs/<config's name>, an empty `profile`
// (--profile) is none. CANCELLED if a signal stopped it: the same command goes
// on.
absl::Status TrainCommand(const CommandLine& line, TrainOptions options,
                          const std::string& profile);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_TRAIN_COMMAND_H_
