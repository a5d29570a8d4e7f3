// Emits the training step of a config as StableHLO, compiles it for a platform
// or a topology without the hardware, and writes what it found.

#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/weights.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/cli/destination_flags.h"
#include "xla_byol/cli/flags.h"
#include "xla_byol/inspect/export_step.h"
#include "xla_byol/scaling/batch_planner.h"
#include "xla_byol/scaling/scaling_sweep.h"

ABSL_FLAG(std::string, out_dir, "export", "Where the files go.");
ABSL_FLAG(std::string, topology, "",
          "What to compile for without having it: v3:8x8 (TPU), a100:8 (GPU).");
ABSL_FLAG(int, batch, 0, "Images in a step over all devices; 0: the config's.");
ABSL_FLAG(std::string, compare, "",
          "The folder of another export, to show beside this one in "
          "inspect.html.");
ABSL_FLAG(std::string, inspect, "",
          "The folder of an earlier export: only writes its inspect.html anew, "
          "with --compare or without.");
ABSL_FLAG(std::string, sweep, "",
          "Topologies, with commas: a table of memory, time and speed of each "
          "with each --global_batch, instead of one export.");
ABSL_FLAG(std::string, global_batch, "4096",
          "--sweep: images in a step over all devices; several with commas.");
ABSL_FLAG(bool, compile_all, false,
          "--sweep: compiles every point, also those with the same number of "
          "images per device.");
ABSL_FLAG(bool, fit, false,
          "Finds the largest batch per device that --topology's memory takes, "
          "with and without rematerialization, instead of one export.");
ABSL_FLAG(int, fit_unit, 8, "--fit: images per device are multiples of this.");

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

absl::Status SweepFromFlags(const CommandLine& line,
                            const std::string& folder) {
  SweepOptions options{
      .topologies = absl::StrSplit(absl::GetFlag(FLAGS_sweep), ','),
      .compile_all = absl::GetFlag(FLAGS_compile_all)};
  for (const absl::string_view text :
       absl::StrSplit(absl::GetFlag(FLAGS_global_batch), ',')) {
    int batch = 0;
    if (!absl::SimpleAtoi(text, &batch) || batch < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("--global_batch: '", text,
                       "' is no number of images; use 4096,8192"));
    }
    options.batches.push_back(batch);
  }
  ASSIGN_OR_RETURN(const Config config, UncheckedConfigFromFlags(line));
  return Sweep(config, options, DestinationFromFlags, folder);
}

absl::Status FitFromFlags(const CommandLine& line, const std::string& topology,
                          const std::string& folder) {
  if (topology.empty()) {
    return absl::InvalidArgumentError(
        "--fit needs a --topology, whose memory is known: v3:8x8, a100:8");
  }
  const int unit = absl::GetFlag(FLAGS_fit_unit);
  if (unit < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--fit_unit=", unit, ": it must be 1 or more"));
  }
  ASSIGN_OR_RETURN(const Config config, UncheckedConfigFromFlags(line));
  ASSIGN_OR_RETURN(const Destination destination,
                   DestinationFromFlags(topology));
  return PlanBatch(config, destination, unit, folder);
}

absl::Status Run(const CommandLine& line) {
  if (absl::GetFlag(FLAGS_weights)) return WeightsFromFlags();
  const std::string out_dir = absl::GetFlag(FLAGS_out_dir);
  const std::string topology = absl::GetFlag(FLAGS_topology);
  if (const std::string folder = absl::GetFlag(FLAGS_inspect);
      !folder.empty()) {
    return WriteInspection(folder, absl::GetFlag(FLAGS_compare));
  }
  if (!absl::GetFlag(FLAGS_sweep).empty()) {
    return SweepFromFlags(line, ResolveUserPath(out_dir));
  }
  if (absl::GetFlag(FLAGS_fit)) {
    return FitFromFlags(line, topology, ResolveUserPath(out_dir));
  }
  ASSIGN_OR_RETURN(const Destination destination,
                   DestinationFromFlags(topology));
  ASSIGN_OR_RETURN(
      const Config config,
      ConfigFromFlags(line, destination.devices, absl::GetFlag(FLAGS_batch)));
  return ExportStep(
      config, destination,
      {.out_dir = out_dir, .compare = absl::GetFlag(FLAGS_compare)});
}

}  // namespace
}  // namespace xla_byol

int main(int argc, char** argv) {
  return xla_byol::RunMain(
      argc, argv,
      "Writes step.mlir, step.json and inspect.html for a config, and compiles "
      "the step for --platform=cpu, tpu or gpu; none only emits it.",
      xla_byol::Run);
}
