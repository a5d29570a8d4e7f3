// Trains BYOL.

#include <string>

#include "absl/flags/flag.h"
#include "xla_byol/base/files.h"
#include "xla_byol/driver/command_line.h"
#include "xla_byol/driver/trainer.h"

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
ABSL_FLAG(std::string, executable_cache, "auto",
          "Where compiled programs are kept; auto: in the user's cache, empty: "
          "nowhere.");

int main(int argc, char** argv) {
  return xla_byol::RunMain(
      argc, argv,
      "Trains BYOL with the predictor that --config describes. Without flags: "
      "Fashion-MNIST on this machine's CPU, in a few minutes.",
      [](const xla_byol::CommandLine& line) {
        std::string cache = absl::GetFlag(FLAGS_executable_cache);
        if (cache == "auto") {
          cache = xla_byol::JoinPath(xla_byol::CacheDirectory(), "executables");
        }
        return xla_byol::Train(
            line, {.run_dir = absl::GetFlag(FLAGS_run_dir),
                   .data_dir = absl::GetFlag(FLAGS_data_dir),
                   .branch = absl::GetFlag(FLAGS_branch),
                   .reader_threads = absl::GetFlag(FLAGS_reader_threads),
                   .executable_cache = cache});
      });
}
