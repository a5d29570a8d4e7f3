// features.json of a run directory: what the features know, for the report.
//
//   {"step":2109,"classes":["T-shirt","Trouser"],"confusion":[[880,3],[2,950]],
//    "map":{"x":[...],"y":[...],"label":[...],"explained":[0.31,0.12]},
//    "gallery":{"size":28,"columns":9,"picture":"data:image/png;base64,...",
//     "rows":[{"labels":[0,0,1],"cosines":[1,0.98,0.97]}]}}
//
// A label of -1 is none, and a confusion's row is the true class. The picture
// is a grid with one pixel between neighbours. What there is not is left out.

#ifndef XLA_BYOL_REPORTING_FEATURE_DETAILS_FILE_H_
#define XLA_BYOL_REPORTING_FEATURE_DETAILS_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "xla_byol/eval/feature_details.h"

namespace xla_byol {

// Of the state after `step` steps.
absl::Status WriteFeatureDetails(const FeatureDetails& details, int64_t step,
                                 const std::string& run_dir);

// The file's text, which is a JSON object. Empty if there is none; a damaged
// one is left out with a warning.
std::string ReadFeatureDetails(const std::string& run_dir);

}  // namespace xla_byol

#endif  // XLA_BYOL_REPORTING_FEATURE_DETAILS_FILE_H_
