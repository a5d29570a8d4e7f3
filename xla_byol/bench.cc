// Times the training step on real devices.

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "xla_byol/cli/bench_step.h"
#include "xla_byol/cli/command_line.h"

ABSL_FLAG(int, steps, 10, "Steps to time, after one that is not timed.");
ABSL_FLAG(int, batch, 0, "Images in a step over all devices; 0: the config's.");
ABSL_FLAG(bool, synthetic, true,
          "Feeds random images, so that only the step is timed.");

int main(int argc, char** argv) {
  return xla_byol::RunMain(
      argc, argv, "Times the training step of a config; the last line is JSON.",
      [](const xla_byol::CommandLine& line) -> absl::Status {
        if (!absl::GetFlag(FLAGS_synthetic)) {
          return absl::InvalidArgumentError(
              "--synthetic=false: bench feeds random images only; train "
              "reports the images a second of a run with real ones");
        }
        return xla_byol::BenchStep(line, {.steps = absl::GetFlag(FLAGS_steps),
                                          .batch = absl::GetFlag(FLAGS_batch)});
      });
}
