// `evaluate`: how good the features of a run are.

#ifndef XLA_BYOL_CLI_EVALUATE_RUN_H_
#define XLA_BYOL_CLI_EVALUATE_RUN_H_

#include <string>

#include "absl/status/status.h"
#include "xla_byol/cli/command_line.h"

namespace xla_byol {

struct EvaluateOptions {
  std::string run_dir;  // as the user gave it
  std::string data_dir;
  bool linear = true;
};

// Evaluates the newest good checkpoint of a run, which may be training
// meanwhile: nothing of it is changed but evaluation.json. Prints a JSON line.
absl::Status EvaluateRun(const CommandLine& line,
                         const EvaluateOptions& options);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_EVALUATE_RUN_H_
