// Emits the training step of a config as StableHLO, compiles it for a platform
// or a topology without the hardware, and writes what it found.

#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/driver/command_line.h"
#include "xla_byol/driver/export_step.h"
#include "xla_byol/driver/weights.h"

ABSL_FLAG(std::string, out_dir, "export", "Where the files go.");
ABSL_FLAG(std::string, topology, "",
          "What to compile for without having it: v3:8x8 (TPU), a100:8 (GPU).");
ABSL_FLAG(bool, weights, false,
          "Writes the encoder of --run_dir's newest checkpoint as safetensors "
          "instead of a step.");
ABSL_FLAG(std::string, run_dir, "", "--weights: the run.");
ABSL_FLAG(std::string, format, "ours",
          "--weights: names and layouts, ours or torchvision.");
ABSL_FLAG(std::string, out, "encoder.safetensors", "--weights: the file.");

namespace xla_byol {
namespace {

absl::Status WeightsFromFlags() {
  const std::string run_dir = absl::GetFlag(FLAGS_run_dir);
  if (run_dir.empty()) {
    return absl::InvalidArgumentError("--weights of which run? Give --run_dir");
  }
  ASSIGN_OR_RETURN(const WeightsFormat format,
                   ParseWeightsFormat(absl::GetFlag(FLAGS_format)));
  return ExportWeights(ResolveUserPath(run_dir), format,
                       ResolveUserPath(absl::GetFlag(FLAGS_out)));
}

}  // namespace
}  // namespace xla_byol

int main(int argc, char** argv) {
  return xla_byol::RunMain(
      argc, argv,
      "Writes step.mlir and step.json for a config, and compiles the step for "
      "--platform=cpu, tpu or gpu; none only emits it.",
      [](const xla_byol::CommandLine& line) {
        if (absl::GetFlag(FLAGS_weights)) return xla_byol::WeightsFromFlags();
        return xla_byol::ExportStep(line, absl::GetFlag(FLAGS_topology),
                                    absl::GetFlag(FLAGS_out_dir));
      });
}
