// Axes and histograms as the pages' scripts read them.

#ifndef XLA_BYOL_REPORTING_REPORT_JSON_H_
#define XLA_BYOL_REPORTING_REPORT_JSON_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/reporting/report_run.h"

namespace xla_byol {

// An array under `key`, with the digits of a float: pixels need no more.
void WriteNumbers(absl::string_view key, const std::vector<double>& numbers,
                  JsonWriter& json);

// `step`, `epoch` and `seconds` of the object that is open.
void WriteAxis(const ReportAxis& axis, JsonWriter& json);

// Axis, `edges` and `shares` of the object that is open.
void WriteHistogram(const ReportHeatmap& map, JsonWriter& json);

}  // namespace xla_byol

#endif  // XLA_BYOL_REPORTING_REPORT_JSON_H_
