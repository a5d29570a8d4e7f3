// Trains BYOL.

#include <string>

#include "absl/flags/flag.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/cli/train_command.h"

ABSL_FLAG(std::string, run_dir, "",
          "Where the run is kept; empty: runs/<config's name>. A run that is "
          "there already goes on.");
ABSL_FLAG(std::string, data_dir, "",
          "Where data sets are; empty: $TFDS_DATA_DIR or "
          "~/tensorflow_datasets.");
ABSL_FLAG(bool, branch, false,
          "Goes on with a run although its config has changed.");
ABSL_FLAG(int, reader_threads, 0,
          "Threads that read and decode images; 0: one for each core.");
ABSL_FLAG(std::string, executable, "",
          "The step that `export` compiled, instead of compiling it here.");

ABSL_FLAG(std::string, profile, "",
          "FROM:TO: a profile of the steps FROM to TO - 1 for XProf and "
          "TensorBoard's profile plugin, in the run directory.");

int main(int argc, char** argv) {
  return xla_byol::RunMain(
      argc, argv,
      {"Trains BYOL with the predictor that --config describes. Without flags: "
       "Fashion-MNIST on this machine's CPU, in a few minutes.",
       "--config=configs/cifar10_ns.textproto --run_dir=runs/mine"},
      [](const xla_byol::CommandLine& line) {
        return xla_byol::TrainCommand(
            line,
            {.run_dir = absl::GetFlag(FLAGS_run_dir),
             .data_dir = absl::GetFlag(FLAGS_data_dir),
             .branch = absl::GetFlag(FLAGS_branch),
             .reader_threads = absl::GetFlag(FLAGS_reader_threads),
             .executable = absl::GetFlag(FLAGS_executable)},
            absl::GetFlag(FLAGS_profile));
      });
}
