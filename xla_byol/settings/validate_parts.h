// The checks of a config that ask no table: ranges of numbers, data, evaluation
// and recording.

#ifndef XLA_BYOL_SETTINGS_VALIDATE_PARTS_H_
#define XLA_BYOL_SETTINGS_VALIDATE_PARTS_H_

#include <initializer_list>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla_byol/config/config.pb.h"

namespace xla_byol {

// "config: predictor.ridge is -0.5: it must be at least 0".
template <typename T>
absl::Status Refuse(absl::string_view field, T value,
                    absl::string_view reason) {
  return absl::InvalidArgumentError(
      absl::StrCat("config: ", field, " is ", value, ": ", reason));
}

// A field whose value must lie in a range.
struct Range {
  const char* field;
  double value;
  double low;
  double high;
  bool high_included = true;
};

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// The first field that is out of its range, NaN included.
absl::Status CheckRanges(std::initializer_list<Range> ranges);

absl::Status CheckData(const Data& data);
absl::Status CheckEvaluation(const Config& config);
absl::Status CheckRecording(const Recording& recording);

}  // namespace xla_byol

#endif  // XLA_BYOL_SETTINGS_VALIDATE_PARTS_H_
