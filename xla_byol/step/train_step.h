// One step of BYOL as one program.

#ifndef XLA_BYOL_STEP_TRAIN_STEP_H_
#define XLA_BYOL_STEP_TRAIN_STEP_H_

#include "absl/status/statusor.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/graph/program.h"
#include "xla_byol/program/named_program.h"

namespace xla_byol {

struct StepOptions {
  // Copies of the program, each with its part of the batch.
  int replicas = 1;
  graph::Backend backend = graph::Backend::kCpu;
  // Programs on the host that run it together. With more than one, scalars
  // `stop` and `step` and metrics `stop` (the largest of all) and `step_spread`
  // (the largest less the smallest) let them agree on an end, and notice when
  // they are not at the same step.
  int processes = 1;
  // Adds the outputs of diagnostics.h, role kDiagnostic: scalars, and
  // latent_covariance. The rest is the same step, so that a run may take this
  // program now and then.
  bool diagnostics = false;
};

// The step "byol_step" of a resolved config that is valid for this number of
// replicas.
//
// State comes first on both sides, in StateLayout's order, and each state input
// is donated to its output. Then the batch: view1, view2: uint8 [b,h,w,c] with
// b = batch_size / replicas; labels: s32 [b], -1 for none; with augmentation
// draws1, draws2: f32 [b,kAugmentationDraws]; and the scalars of StepScalars,
// under their names there. Outputs end with the metrics, f32 scalars, and the
// diagnostics, all the same on every replica. Metric `finite` is 1, or 0 when
// the loss or the predictor has an infinity or a NaN: the state is then lost.
absl::StatusOr<NamedProgram> BuildTrainStep(const Config& config,
                                            const StepOptions& options);

// The activations' type for a config on a target.
graph::DType ComputeType(const Config& config, graph::Backend backend);

}  // namespace xla_byol

#endif  // XLA_BYOL_STEP_TRAIN_STEP_H_
