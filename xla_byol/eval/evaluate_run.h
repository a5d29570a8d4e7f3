// Evaluates a run that is on disk.

#ifndef XLA_BYOL_EVAL_EVALUATE_RUN_H_
#define XLA_BYOL_EVAL_EVALUATE_RUN_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/eval/evaluator.h"
#include "xla_byol/eval/feature_details.h"
#include "xla_byol/metrics/metrics_record.h"
#include "xla_byol/runtime/device_program.h"

namespace xla_byol {

struct EvaluateOptions {
  std::string run_dir;
  std::string data_dir;  // empty: where TFDS has its data
  EvaluationKind kind = EvaluationKind::kFull;
};

struct EvaluatedRun {
  MetricsRecord record;
  std::optional<FeatureDetails> details;  // of EvaluationKind::kFull
};

// Evaluates the newest good checkpoint of a run, which may be training
// meanwhile: nothing of it is changed but evaluation.json. All processes of the
// runtime call it and get the same record; the first one writes. `config` is
// the run's, resolved and valid for the runtime's devices, perhaps with other
// values of evaluation.
absl::StatusOr<EvaluatedRun> EvaluateRun(const Runtime& runtime,
                                         const Config& config,
                                         const EvaluateOptions& options);

}  // namespace xla_byol

#endif  // XLA_BYOL_EVAL_EVALUATE_RUN_H_
