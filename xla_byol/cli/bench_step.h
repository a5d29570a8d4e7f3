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
  // Random images, the same in every step. Otherwise those of the config's data
  // set, as training reads them.
  bool synthetic = true;
  std::string data_dir;    // empty: where TFDS has its data
  int reader_threads = 0;  // 0: one for each core
  // If not empty: a safetensors file that gets the state before the first step,
  // its batch and its scalars, for other programs to compute the same.
  std::string write_inputs;
};

// Runs the step of `config` on the client's devices, and prints one JSON line
// at the end, of several processes in the first: images_per_s, step_s,
// compile_s, devices, batch, config, the first step's loss and, with the data
// set's images, data_wait_s, what a step waited for them.
absl::Status BenchStep(const pjrt::Client& client, const Config& config,
                       const BenchOptions& options);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_BENCH_STEP_H_
