// The trained encoder for other programs: docs/weights.md has the names and
// layouts.

#ifndef XLA_BYOL_CHECKPOINT_WEIGHTS_H_
#define XLA_BYOL_CHECKPOINT_WEIGHTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/step/state.h"

namespace xla_byol {

enum class WeightsFormat {
  kOurs,         // resnet/stem/conv/w: HWIO kernels
  kTorchvision,  // conv1.weight: OIHW kernels, for torchvision's ResNet
};

// "ours" or "torchvision".
absl::StatusOr<WeightsFormat> ParseWeightsFormat(absl::string_view name);

// The online encoder of a state, parameters and running statistics, as a
// safetensors file. Its metadata says how pixels are to be normalized. `values`
// has the values of each tensor of the layout; `step` counts finished steps.
absl::StatusOr<std::string> EncoderWeights(
    const Config& config, absl::Span<const StateTensor> layout,
    absl::Span<const std::vector<float>> values, int64_t step,
    WeightsFormat format);

// Writes the encoder of a run's newest checkpoint. Warns where torchvision's
// network would not compute the same.
absl::Status ExportWeights(const std::string& run_dir, WeightsFormat format,
                           const std::string& out_path);

}  // namespace xla_byol

#endif  // XLA_BYOL_CHECKPOINT_WEIGHTS_H_
