// The report as one HTML page that needs nothing else: style, script, data and
// pictures are inside.

#ifndef XLA_BYOL_REPORTING_REPORT_PAGE_H_
#define XLA_BYOL_REPORTING_REPORT_PAGE_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "xla_byol/reporting/report_run.h"

namespace xla_byol {

// What the script in report_page/ draws, as JSON.
std::string ReportData(absl::Span<const ReportRun> runs);

std::string ReportPage(absl::Span<const ReportRun> runs);

}  // namespace xla_byol

#endif  // XLA_BYOL_REPORTING_REPORT_PAGE_H_
