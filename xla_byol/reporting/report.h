// report.html: what happened in one run, or in many side by side.

#ifndef XLA_BYOL_REPORTING_REPORT_H_
#define XLA_BYOL_REPORTING_REPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace xla_byol {

// Reads the runs (at least one) and writes the page in one step. An error is a
// sentence that names the directory at fault.
absl::Status WriteReport(const std::vector<std::string>& run_dirs,
                         const std::string& out_path);

}  // namespace xla_byol

#endif  // XLA_BYOL_REPORTING_REPORT_H_
