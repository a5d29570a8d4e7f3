// `export`: the step as files.

#ifndef XLA_BYOL_INSPECT_EXPORT_STEP_H_
#define XLA_BYOL_INSPECT_EXPORT_STEP_H_

#include <string>

#include "absl/status/status.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/inspect/step_compiler.h"

namespace xla_byol {

struct ExportOptions {
  std::string out_dir;
  // The folder of another export, shown beside this one; empty: none.
  std::string compare;
};

// Builds the step of `config` for `destination` and writes into `out_dir`:
//
//   step.mlir           StableHLO, the same bytes for the same config
//   step.json           see step_json.h
//   optimized.hlo.txt   the compiled program as text, where the plugin gives it
//   inspect.json        see inspection.h
//   step.executable     for LoadExecutableFile (executable_file.h)
//   inspect.html        see inspect_page.h
//
// A step that does not fit the devices is RESOURCE_EXHAUSTED, with what it
// needs and what a device has; step.mlir is there then, too.
absl::Status ExportStep(const Config& config, const Destination& destination,
                        const ExportOptions& options);

// Writes the inspect.html of an export that is there, beside `compare` if that
// is not empty: no compiler is needed.
absl::Status WriteInspection(const std::string& folder,
                             const std::string& compare);

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_EXPORT_STEP_H_
