// `bench`: how fast the step runs here.

#ifndef XLA_BYOL_CLI_BENCH_STEP_H_
#define XLA_BYOL_CLI_BENCH_STEP_H_

#include <string>

#include "absl/status/status.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/pjrt/client.h"

namespace xla_byol {

struct BenchOptions {
  int steps = 10;      // timed, after one that is not; 1 or more
  std::string config;  // where the config is from, for the JSON line
};

// Runs the step of `config` on the client's devices with random images, and
// prints one JSON line at the end.
absl::Status BenchStep(const pjrt::Client& client, const Config& config,
                       const BenchOptions& options);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_BENCH_STEP_H_
