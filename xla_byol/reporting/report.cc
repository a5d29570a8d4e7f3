#include "xla_byol/reporting/report.h"

#include <utility>

#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/reporting/report_page.h"
#include "xla_byol/reporting/report_run.h"

namespace xla_byol {

absl::Status WriteReport(const std::vector<std::string>& run_dirs,
                         const std::string& out_path) {
  if (run_dirs.empty()) {
    return absl::InvalidArgumentError("a report needs at least one run");
  }
  std::vector<ReportRun> runs;
  for (const std::string& run_dir : run_dirs) {
    ASSIGN_OR_RETURN(ReportRun run, ReadReportRun(run_dir));
    runs.push_back(std::move(run));
  }
  LabelRuns(runs);
  return WriteFileAtomically(out_path, ReportPage(runs));
}

}  // namespace xla_byol
