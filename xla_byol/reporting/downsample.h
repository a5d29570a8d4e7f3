// Long series made short enough to draw.

#ifndef XLA_BYOL_REPORTING_DOWNSAMPLE_H_
#define XLA_BYOL_REPORTING_DOWNSAMPLE_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"

namespace xla_byol {

// `count` neighbours as at most `limit` groups of nearly equal size, in order:
// group i holds [bounds[i], bounds[i + 1]).
std::vector<size_t> GroupBounds(size_t count, size_t limit);

// What is known of each group of a series. NaN are left out; a group of
// nothing but NaN gives NaN.
struct GroupedSeries {
  std::vector<double> mean;
  std::vector<double> low;
  std::vector<double> high;
};

GroupedSeries GroupValues(absl::Span<const double> values,
                          const std::vector<size_t>& bounds);

}  // namespace xla_byol

#endif  // XLA_BYOL_REPORTING_DOWNSAMPLE_H_
