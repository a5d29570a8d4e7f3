// `export`: the step as files.

#ifndef XLA_BYOL_INSPECT_EXPORT_STEP_H_
#define XLA_BYOL_INSPECT_EXPORT_STEP_H_

#include <string>

#include "absl/status/status.h"
#include "xla_byol/cli/command_line.h"

namespace xla_byol {

struct ExportOptions {
  // With a topology the step is compiled for it, with one replica per device;
  // otherwise for this machine's devices. --platform=none compiles nothing, for
  // any number of --devices or for a topology's.
  std::string topology;
  std::string out_dir;
  int batch = 0;  // over all devices; 0: the config's
  // The folder of another export, shown beside this one.
  std::string compare;
};

// Builds the step of --config and --set for --platform and --devices, and
// writes into `out_dir`:
//
//   step.mlir           StableHLO, the same bytes for the same config
//   step.json           see step_json.h
//   optimized.hlo.txt   the compiled program as text, where the plugin gives it
//   step.executable     for LoadExecutableFile (executable_file.h)
//   inspect.html        see inspect_page.h
//
// A step that does not fit the devices is RESOURCE_EXHAUSTED, with what it
// needs and what a device has; step.mlir is there then, too.
absl::Status ExportStep(const CommandLine& line, const ExportOptions& options);

// Writes the inspect.html of an export that is there, beside `compare` if that
// is not empty: no compiler is needed.
absl::Status WriteInspection(const std::string& folder,
                             const std::string& compare);

// `line` with --batch as an assignment.
CommandLine WithBatch(const CommandLine& line, int batch);

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_EXPORT_STEP_H_
