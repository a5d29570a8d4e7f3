// Linear evaluation: softmax regression on frozen features.

#ifndef XLA_BYOL_EVAL_LINEAR_PROBE_H_
#define XLA_BYOL_EVAL_LINEAR_PROBE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/eval/feature_details.h"
#include "xla_byol/eval/features.h"
#include "xla_byol/eval/probe_source.h"
#include "xla_byol/runtime/device_program.h"

namespace xla_byol {

struct LinearResult {
  double top1 = 0;  // of the test images, shares
  double top5 = 0;
  double learning_rate = 0;  // the chosen base rate
  double holdout_top1 = 0;   // what chose it
  ProbeWeights probe = {};   // the chosen one
};

// INVALID_ARGUMENT if evaluation.linear_batch_size leaves one of all processes'
// devices without an image.
absl::Status CheckProbeBatch(const Config& config, int devices);

// Trains one probe for each of the config's learning rates side by side on
// `source`, for `epoch_images` * linear_epochs images, takes the one that is
// best on `holdout`, and evaluates it on `test`. All processes get the same
// result. INVALID_ARGUMENT as CheckProbeBatch, or if there are fewer training
// images than devices.
absl::StatusOr<LinearResult> TrainLinearProbe(
    const Runtime& runtime, const Config& config, ProbeSource& source,
    int64_t epoch_images, const Features& holdout, const Features& test,
    ImageProgress progress);

}  // namespace xla_byol

#endif  // XLA_BYOL_EVAL_LINEAR_PROBE_H_
