// The result of a sweep over machines and batch sizes: as a table for people,
// as CSV, and as a plot.

#ifndef XLA_BYOL_SCALING_SCALING_TABLE_H_
#define XLA_BYOL_SCALING_SCALING_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace xla_byol {

struct ScalingRow {
  std::string topology;
  int devices = 0;
  int batch = 0;  // over all devices
  int batch_per_device = 0;
  // Absent where the step does not fit.
  std::optional<double> memory_bytes;  // of one device
  std::optional<double> compute_seconds;
  std::optional<double> optimal_seconds;  // the compiler's lower bound
  double collective_seconds = 0;
  double collective_bytes = 0;
  // The topology that the numbers were compiled for, if another: one device's
  // program is the same for the same images per device.
  std::string compiled_for;
  std::string problem;  // why there are no numbers

  bool fits() const { return compute_seconds.has_value(); }
  double step_seconds() const {
    return compute_seconds.value_or(0) + collective_seconds;
  }
  double images_per_second() const { return batch / step_seconds(); }
};

std::string ScalingText(absl::Span<const ScalingRow> rows);
std::string ScalingCsv(absl::Span<const ScalingRow> rows);

// Images a second over devices, both logarithmic, one line for each batch and
// what perfect scaling from its first point would give. Follows the reader's
// light or dark theme.
std::string ScalingSvg(absl::Span<const ScalingRow> rows);

}  // namespace xla_byol

#endif  // XLA_BYOL_SCALING_SCALING_TABLE_H_
