// `bench`: how fast the step runs here.

#ifndef XLA_BYOL_CLI_BENCH_STEP_H_
#define XLA_BYOL_CLI_BENCH_STEP_H_

#include "absl/status/status.h"
#include "xla_byol/cli/command_line.h"

namespace xla_byol {

struct BenchOptions {
  int steps = 10;  // timed, after one that is not
  int batch = 0;   // global; 0: the config's
};

// Runs the step of --config and --set on --platform's devices with random
// images, and prints one JSON line at the end.
absl::Status BenchStep(const CommandLine& line, const BenchOptions& options);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_BENCH_STEP_H_
