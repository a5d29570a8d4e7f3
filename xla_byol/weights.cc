// Writes a run's encoder for other programs.

#include "xla_byol/checkpoint/weights.h"

#include <string>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/cli/command_line.h"

ABSL_FLAG(std::string, run_dir, "", "The run's directory: runs/NAME.");
ABSL_FLAG(std::string, format, "ours",
          "Names and layouts of the tensors: ours, or torchvision for "
          "PyTorch.");
ABSL_FLAG(std::string, out, "encoder.safetensors", "The file to write.");

namespace xla_byol {
namespace {

absl::Status Weights(const CommandLine&) {
  const std::string run_dir = absl::GetFlag(FLAGS_run_dir);
  if (run_dir.empty()) {
    return absl::InvalidArgumentError("weights of which run? Give --run_dir");
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
      {"Writes the encoder of a run's newest checkpoint as safetensors.",
       "--run_dir=runs/mine --format=torchvision --out=encoder.safetensors"},
      xla_byol::Weights);
}
