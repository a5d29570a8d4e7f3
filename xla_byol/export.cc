// Emits the training step of a config as StableHLO, compiles it for a platform
// or a topology without the hardware, and writes what it found.

#include <string>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/cli/config_flags.h"
#include "xla_byol/cli/destination_flags.h"
#include "xla_byol/inspect/export_step.h"

ABSL_FLAG(std::string, out_dir, "export", "Where the files go.");
ABSL_FLAG(std::string, topology, "",
          "What to compile for without having it: v3:8x8 (TPU), a100:8 (GPU).");
ABSL_FLAG(int, batch, 0, "Images in a step over all devices; 0: the config's.");
ABSL_FLAG(std::string, compare, "",
          "The folder of another export, to show beside this one in "
          "inspect.html.");
ABSL_FLAG(
    std::string, inspect, "",
    "The folder of an earlier export: only rewrites its inspect.html, with "
    "or without --compare.");

namespace xla_byol {
namespace {

constexpr MovedFlag kMovedFlags[] = {
    {"sweep", "//xla_byol:scale"},       {"global_batch", "//xla_byol:scale"},
    {"compile_all", "//xla_byol:scale"}, {"fit", "//xla_byol:scale"},
    {"fit_unit", "//xla_byol:scale"},    {"weights", "//xla_byol:weights"},
    {"run_dir", "//xla_byol:weights"},   {"format", "//xla_byol:weights"},
    {"out", "//xla_byol:weights"},
};

absl::Status Export(const CommandLine& line) {
  const std::string compare = absl::GetFlag(FLAGS_compare);
  if (const std::string folder = absl::GetFlag(FLAGS_inspect);
      !folder.empty()) {
    return WriteInspection(folder, compare);
  }
  ASSIGN_OR_RETURN(const Destination destination,
                   DestinationFromFlags(absl::GetFlag(FLAGS_topology)));
  ASSIGN_OR_RETURN(
      const Config config,
      ConfigFromFlags(line, destination.devices, absl::GetFlag(FLAGS_batch)));
  RETURN_IF_ERROR(CheckDataDescribed(config));
  return ExportStep(
      config, destination,
      {.out_dir = absl::GetFlag(FLAGS_out_dir), .compare = compare});
}

}  // namespace
}  // namespace xla_byol

int main(int argc, char** argv) {
  return xla_byol::RunMain(
      argc, argv,
      {"Writes step.mlir, step.json and inspect.html for a config, and "
       "compiles the step for --platform; --platform=none only emits it.",
       "--config=configs/imagenet100_ns.textproto --platform=tpu "
       "--topology=v3:8x8"},
      xla_byol::Export, xla_byol::kMovedFlags);
}
