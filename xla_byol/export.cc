// Emits the training step of a config as StableHLO, compiles it for a platform
// or a topology without the hardware, and writes what it found.

#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "xla_byol/driver/command_line.h"
#include "xla_byol/driver/export_step.h"

ABSL_FLAG(std::string, out_dir, "export", "Where the files go.");
ABSL_FLAG(std::string, topology, "",
          "What to compile for without having it: v3:8x8 (TPU), a100:8 (GPU).");

int main(int argc, char** argv) {
  return xla_byol::RunMain(
      argc, argv,
      "Writes step.mlir and step.json for a config, and compiles the step for "
      "--platform=cpu, tpu or gpu; none only emits it.",
      [](const xla_byol::CommandLine& line) {
        return xla_byol::ExportStep(line, absl::GetFlag(FLAGS_topology),
                                    absl::GetFlag(FLAGS_out_dir));
      });
}
