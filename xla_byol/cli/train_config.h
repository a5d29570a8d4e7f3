// The config of a training run: what --config, --dataset and --set say, and
// what follows from the data.

#ifndef XLA_BYOL_CLI_TRAIN_CONFIG_H_
#define XLA_BYOL_CLI_TRAIN_CONFIG_H_

#include <string>

#include "absl/status/statusor.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/config/config.h"

namespace xla_byol {

struct TrainConfigOptions {
  std::string dataset;   // --dataset: a name or a folder; empty: the config's
  std::string data_dir;  // where names are looked up
  bool for_cpu = true;
  int devices = 1;
};

// Resolved and valid for the devices. Without --config and --dataset it is the
// Fashion-MNIST demo. With --dataset alone it begins with a starting recipe,
// which is logged. With both, --config's settings are used and what it says
// about its own data set is dropped. What is unset after that is read from the
// data, if the config names any; --set overrides everything.
absl::StatusOr<Config> TrainConfigFromFlags(const CommandLine& line,
                                            const TrainConfigOptions& options);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_TRAIN_CONFIG_H_
