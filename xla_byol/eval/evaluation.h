// Programs for evaluation: features of images, and the linear probe on them.

#ifndef XLA_BYOL_EVAL_EVALUATION_H_
#define XLA_BYOL_EVAL_EVALUATION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/program/named_program.h"
#include "xla_byol/program/program_builder.h"

namespace xla_byol {

// What features are made of.
enum class FeatureSource {
  kEncoder,  // the online encoder with its running statistics
  // The same with the statistics of each batch, over all replicas: a network
  // that was never trained has no others.
  kUntrained,
  kPixels,  // no network at all: normalized pixels, [batch, h*w*c]
};

// Images to features.
//
// Inputs: the encoder's parameters and statistics under the training state's
// names, not donated (none for pixels); `images`, uint8 [batch,h,w,c] of
// evaluation.image_size pixels.
// Output: `features`, f32 [batch, n]. Each replica encodes a batch of its own.
absl::StatusOr<NamedProgram> BuildEncode(
    const Config& config, int64_t batch, const ProgramOptions& options,
    FeatureSource source = FeatureSource::kEncoder);

// The same for `chunk` rows of a batch of `rows` on each device, for a probe
// whose step takes the features from where this leaves them: `crops` uint8
// [chunk,h,w,c] become rows `at` ... of `features` f32 [rows,n], donated. `at`
// is s32 [].
absl::StatusOr<NamedProgram> BuildEncodeRows(const Config& config,
                                             int64_t chunk, int64_t rows,
                                             const ProgramOptions& options);

// Deals a batch to the devices, each row of which one device brings: `rows` f32
// [batch,n] and `row_labels` f32 [batch], the label plus 1, are 0 where others
// bring the row or nobody does. `features` f32 [batch/replicas,n] and `labels`
// s32 [batch/replicas], donated, become this device's part.
absl::StatusOr<NamedProgram> BuildDealRows(int64_t batch, int64_t features,
                                           const ProgramOptions& options);

// What the step makes of one view's pixels before it normalizes them: `pixels`
// uint8 [batch,h,w,c] and `draws` f32 [batch,kAugmentationDraws] to
// `augmented`, uint8 [batch,h,w,c]. For looking at.
absl::StatusOr<NamedProgram> BuildAugment(const Config& config, int64_t batch,
                                          const ProgramOptions& options);

struct ProbeOptions {
  int64_t batch = 256;     // over all replicas
  int64_t features = 0;    // n
  int64_t classes = 0;     // c
  int64_t candidates = 1;  // k: probes trained side by side
  double momentum = 0.9;
};

// One step of softmax regression by SGD with Nesterov's momentum, for several
// learning rates at once: candidate i has learning_rates[i].
//
// State, donated: w [k,n,c], b [k,c], and their momenta. Batch: `features`
// f32 [b,n], `labels` s32 [b] (-1: none). Scalars: `learning_rates` f32 [k].
// Metrics, f32 [k]: `loss` and `accuracy` of each candidate, before the step.
absl::StatusOr<NamedProgram> BuildProbeStep(const ProbeOptions& probe,
                                            const ProgramOptions& options);

}  // namespace xla_byol

#endif  // XLA_BYOL_EVAL_EVALUATION_H_
