// One config over many machines and batch sizes.

#ifndef XLA_BYOL_SCALING_SCALING_SWEEP_H_
#define XLA_BYOL_SCALING_SCALING_SWEEP_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/inspect/step_compiler.h"

namespace xla_byol {

struct SweepOptions {
  std::vector<std::string> topologies;
  std::vector<int> batches;  // over all devices
  // Compiles every point. Otherwise points with the same number of images per
  // device share one compilation, and a point above one that did not fit is
  // not tried: then its row says so.
  bool compile_all = false;
};

// Prints the table on stdout, and writes scaling.csv, scaling.svg and a folder
// with each compiled point's export into `folder`. A point whose export is
// already there, of the same program and plugin, is not compiled again, so a
// sweep that was interrupted goes on. A point that does not fit is a row, not
// an error.
//
// `config` is resolved (ResolveConfig); each point has its own batch size in
// it, and all are checked before the first is compiled.
absl::Status Sweep(const Config& config, const SweepOptions& options,
                   OpenTopology open, const std::string& folder);

}  // namespace xla_byol

#endif  // XLA_BYOL_SCALING_SCALING_SWEEP_H_
