// What `study` does with its flags.

#ifndef XLA_BYOL_CLI_STUDY_COMMAND_H_
#define XLA_BYOL_CLI_STUDY_COMMAND_H_

#include <string>

#include "absl/status/status.h"
#include "xla_byol/cli/command_line.h"

namespace xla_byol {

struct StudyFlags {
  std::string config;     // a textproto of Study
  std::string study_dir;  // empty: runs/studies/<study's name>
  std::string data_dir;   // for train
  std::string only;       // SelectRuns
  int jobs = 1;
  std::string reuse;  // a folder of studies whose runs may count here
  bool dry_run = false;
  std::string scaling;                  // a scaling.csv, for dry_run
  std::string on;                       // "", "slurm" or "jobset"
  std::string topology, image, bucket;  // for jobset
  // Lays out these results instead of running anything; figures.json beside
  // them, or <name>.figures.json for <name>.results.jsonl, is drawn as well.
  std::string results;
  bool markdown = false;  // prints the tables as Markdown
};

// CANCELLED if a signal stopped it.
absl::Status StudyCommand(const CommandLine& line, const StudyFlags& flags);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_STUDY_COMMAND_H_
