// A picture of what the network is shown.

#ifndef XLA_BYOL_REPORTING_SAMPLES_H_
#define XLA_BYOL_REPORTING_SAMPLES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla_byol/config/config.h"
#include "xla_byol/input/batch.h"
#include "xla_byol/metrics/metrics_record.h"
#include "xla_byol/runtime/device_program.h"

namespace xla_byol {

// So many images are shown, if the batch has them.
inline constexpr int64_t kSampleImages = 16;

// The first images of a training batch, augmented as the step does it: in each
// pair of rows view 1 is above view 2.
absl::StatusOr<MetricImage> DrawSamples(const Runtime& runtime,
                                        const Config& config,
                                        const input::BatchBuffer& batch);

}  // namespace xla_byol

#endif  // XLA_BYOL_REPORTING_SAMPLES_H_
