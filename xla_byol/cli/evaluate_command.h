// `evaluate`: how good the features of a run are.

#ifndef XLA_BYOL_CLI_EVALUATE_COMMAND_H_
#define XLA_BYOL_CLI_EVALUATE_COMMAND_H_

#include "absl/status/status.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/eval/evaluate_run.h"

namespace xla_byol {

// Evaluates a run, whose folder is as the user gave it, with the values of
// --set in place of its config's, on --platform's devices. Prints a JSON line.
absl::Status EvaluateCommand(const CommandLine& line, EvaluateOptions options);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_EVALUATE_COMMAND_H_
