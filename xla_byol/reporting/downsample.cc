#include "xla_byol/reporting/downsample.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace xla_byol {

std::vector<size_t> GroupBounds(size_t count, size_t limit) {
  const size_t groups = std::min(count, limit);
  std::vector<size_t> bounds = {0};
  for (size_t i = 1; i <= groups; ++i) bounds.push_back(count * i / groups);
  return bounds;
}

GroupedSeries GroupValues(absl::Span<const double> values,
                          const std::vector<size_t>& bounds) {
  GroupedSeries grouped;
  for (size_t group = 0; group + 1 < bounds.size(); ++group) {
    double sum = 0, low = std::numeric_limits<double>::infinity(), high = -low;
    size_t count = 0;
    for (size_t i = bounds[group]; i < bounds[group + 1]; ++i) {
      if (std::isnan(values[i])) continue;
      sum += values[i];
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
      ++count;
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    grouped.mean.push_back(count == 0 ? nan : sum / static_cast<double>(count));
    grouped.low.push_back(count == 0 ? nan : low);
    grouped.high.push_back(count == 0 ? nan : high);
  }
  return grouped;
}

}  // namespace xla_byol
