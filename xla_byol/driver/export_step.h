// `export`: the step as files.

#ifndef XLA_BYOL_DRIVER_EXPORT_STEP_H_
#define XLA_BYOL_DRIVER_EXPORT_STEP_H_

#include <string>

#include "absl/status/status.h"
#include "xla_byol/driver/command_line.h"

namespace xla_byol {

// Builds the step of --config and --set for --platform and --devices, and
// writes into `out_dir`:
//
//   step.mlir           StableHLO, the same bytes for the same config
//   step.json           see step_json.h
//   optimized.hlo.txt   the compiled program as text, where the plugin gives it
//
// With a `topology` the step is compiled for it, with one replica per device;
// otherwise for this machine's devices. --platform=none compiles nothing, and
// takes any number of --devices.
absl::Status ExportStep(const CommandLine& line, const std::string& topology,
                        const std::string& out_dir);

}  // namespace xla_byol

#endif  // XLA_BYOL_DRIVER_EXPORT_STEP_H_
