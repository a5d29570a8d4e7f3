// Times the training step on real devices.

#include <string>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/cli/bench_step.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/cli/config_flags.h"
#include "xla_byol/cli/process_flags.h"

ABSL_FLAG(int, steps, 10, "Steps to time, after one that is not timed.");
ABSL_FLAG(int, batch, 0, "Images in a step over all devices; 0: the config's.");
ABSL_FLAG(bool, synthetic, true,
          "Feeds random images, so that only the step is timed; "
          "--nosynthetic: the data set's, as training reads them.");
ABSL_FLAG(std::string, data_dir, "",
          "--nosynthetic: where data sets are; empty: $TFDS_DATA_DIR or "
          "~/tensorflow_datasets.");
ABSL_FLAG(int, reader_threads, 0,
          "--nosynthetic: threads that read and decode images; 0: one for each "
          "core.");

ABSL_FLAG(std::string, write_inputs, "",
          "A safetensors file for what the first step computes with; empty: "
          "none.");

namespace xla_byol {
namespace {

absl::Status Bench(const CommandLine& line) {
  const int steps = absl::GetFlag(FLAGS_steps);
  if (steps < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--steps=", steps, ": it must be 1 or more"));
  }
  return RunTogether([&](const Machine& machine) -> absl::Status {
    const pjrt::Client& client = *machine.client;
    ASSIGN_OR_RETURN(const Config config,
                     ConfigFromFlags(line, client.global_device_count(),
                                     absl::GetFlag(FLAGS_batch)));
    return BenchStep(client, config,
                     {.steps = steps,
                      .config = absl::GetFlag(FLAGS_config),
                      .synthetic = absl::GetFlag(FLAGS_synthetic),
                      .data_dir = absl::GetFlag(FLAGS_data_dir),
                      .reader_threads = absl::GetFlag(FLAGS_reader_threads),
                      .write_inputs = absl::GetFlag(FLAGS_write_inputs)});
  });
}

}  // namespace
}  // namespace xla_byol

int main(int argc, char** argv) {
  return xla_byol::RunMain(
      argc, argv,
      {"Times the training step of a config; the last line is JSON.",
       "--config=configs/cifar10_ns.textproto --steps=5"},
      xla_byol::Bench);
}
