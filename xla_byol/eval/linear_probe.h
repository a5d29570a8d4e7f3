// Linear evaluation: softmax regression on frozen features.

#ifndef XLA_BYOL_EVAL_LINEAR_PROBE_H_
#define XLA_BYOL_EVAL_LINEAR_PROBE_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/eval/features.h"
#include "xla_byol/runtime/device_program.h"

namespace xla_byol {

// The next rows of an endless, shuffled stream of training features.
using FeatureSource = std::function<absl::StatusOr<Features>(int64_t rows)>;

// A stream over features in memory, epoch after epoch, each in its own order.
// The features must outlive it.
FeatureSource ShuffledFeatures(const Features& features, uint64_t seed);

struct LinearResult {
  double top1 = 0;  // of the test images, shares
  double top5 = 0;
  double learning_rate = 0;  // the chosen base rate
  double holdout_top1 = 0;   // what chose it
};

// INVALID_ARGUMENT if evaluation.linear_batch_size leaves a device without an
// image.
absl::Status CheckProbeBatch(const Config& config, size_t devices);

// Trains one probe for each of the config's learning rates side by side on
// `source`, for `epoch_images` * linear_epochs images, takes the one that is
// best on `holdout`, and judges it on `test`. INVALID_ARGUMENT as
// CheckProbeBatch, or if there are fewer training images than devices.
absl::StatusOr<LinearResult> TrainLinearProbe(
    const Runtime& runtime, const Config& config, const FeatureSource& source,
    int64_t epoch_images, const Features& holdout, const Features& test,
    ImageProgress progress);

}  // namespace xla_byol

#endif  // XLA_BYOL_EVAL_LINEAR_PROBE_H_
