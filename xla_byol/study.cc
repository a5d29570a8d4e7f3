// Runs a study: a grid of trainings, and the tables and figures of them.

#include <string>

#include "absl/flags/flag.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/cli/study_command.h"

ABSL_FLAG(
    std::string, config, "",
    "The study: a textproto of xla_byol.Study; configs/studies has many.");
ABSL_FLAG(std::string, study_dir, "",
          "Where the study is kept; empty: runs/studies/<study's name>. One "
          "that is there already is resumed.");
ABSL_FLAG(std::string, data_dir, "",
          "Where data sets are; empty: $TFDS_DATA_DIR or "
          "~/tensorflow_datasets.");
ABSL_FLAG(std::string, only, "",
          "Only some runs: labels, axis=label, seed=0 or runs' names, "
          "separated by commas; all must hold.");
ABSL_FLAG(int, jobs, 1, "How many runs are trained at a time.");
ABSL_FLAG(std::string, reuse, "",
          "A folder of studies, as runs/studies: what one of them has trained "
          "with the same config, plugin and commit is not trained again.");
ABSL_FLAG(bool, dry_run, false,
          "Only says which runs there are and what they will cost.");
ABSL_FLAG(std::string, scaling, "",
          "With --dry_run: a scaling.csv of `scale`, for slice-hours.");
ABSL_FLAG(std::string, on, "",
          "slurm or jobset: prints the array job or the manifests for "
          "Kubernetes instead of running.");
ABSL_FLAG(std::string, topology, "", "With --on=jobset: v3:8x8, ...");
ABSL_FLAG(std::string, image, "", "With --on=jobset: the container's image.");
ABSL_FLAG(std::string, bucket, "", "With --on=jobset: for data and runs.");
ABSL_FLAG(std::string, results, "",
          "Lays out the results of this file instead of running anything.");
ABSL_FLAG(bool, markdown, false, "Prints tables as Markdown.");

int main(int argc, char** argv) {
  return xla_byol::RunMain(
      argc, argv,
      {"Trains all runs of the study that --config describes, stops and "
       "resumes like `train`, and lays the results out as the paper does.",
       "--config=configs/studies/predictors.textproto --only=NS,seed=0"},
      [](const xla_byol::CommandLine& line) {
        return xla_byol::StudyCommand(
            line, {.config = absl::GetFlag(FLAGS_config),
                   .study_dir = absl::GetFlag(FLAGS_study_dir),
                   .data_dir = absl::GetFlag(FLAGS_data_dir),
                   .only = absl::GetFlag(FLAGS_only),
                   .jobs = absl::GetFlag(FLAGS_jobs),
                   .reuse = absl::GetFlag(FLAGS_reuse),
                   .dry_run = absl::GetFlag(FLAGS_dry_run),
                   .scaling = absl::GetFlag(FLAGS_scaling),
                   .on = absl::GetFlag(FLAGS_on),
                   .topology = absl::GetFlag(FLAGS_topology),
                   .image = absl::GetFlag(FLAGS_image),
                   .bucket = absl::GetFlag(FLAGS_bucket),
                   .results = absl::GetFlag(FLAGS_results),
                   .markdown = absl::GetFlag(FLAGS_markdown)});
      });
}
