// Evaluates the features of a run's newest checkpoint.

#include <string>

#include "absl/flags/flag.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/cli/evaluate_command.h"

ABSL_FLAG(std::string, run_dir, "", "The run's directory: runs/NAME.");
ABSL_FLAG(std::string, data_dir, "",
          "Where data sets are; empty: $TFDS_DATA_DIR or "
          "~/tensorflow_datasets.");
ABSL_FLAG(bool, linear, true, "The linear probe too; --nolinear: only k-NN.");

int main(int argc, char** argv) {
  return xla_byol::RunMain(
      argc, argv,
      {"Linear probe and k-NN of a run's newest checkpoint. The last "
       "line is JSON.",
       "--run_dir=runs/mine --set=evaluation.linear_epochs=20"},
      [](const xla_byol::CommandLine& line) {
        return xla_byol::EvaluateCommand(
            line, {.run_dir = absl::GetFlag(FLAGS_run_dir),
                   .data_dir = absl::GetFlag(FLAGS_data_dir),
                   .kind = absl::GetFlag(FLAGS_linear)
                               ? xla_byol::EvaluationKind::kFull
                               : xla_byol::EvaluationKind::kQuick});
      });
}
