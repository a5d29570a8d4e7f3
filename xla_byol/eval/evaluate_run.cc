#include "xla_byol/eval/evaluate_run.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/checkpoint_store.h"
#include "xla_byol/checkpoint/run_directory.h"
#include "xla_byol/step/state.h"

namespace xla_byol {
namespace {

// A run may train meanwhile: then processes may have found different
// checkpoints. All of them notice.
absl::Status CheckSameCheckpoint(Evaluator& evaluator, int64_t step) {
  ASSIGN_OR_RETURN(const std::vector<double> steps,
                   evaluator.Gather(static_cast<double>(step)));
  for (size_t process = 1; process < steps.size(); ++process) {
    if (steps[process] == steps[0]) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "process 0 read the checkpoint of step ", steps[0], ", process ",
        process, " that of step ", steps[process],
        "; run it again if the run is training, else see that --run_dir is one "
        "folder that all hosts see"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<EvaluatedRun> EvaluateRun(const Runtime& runtime,
                                         const Config& config,
                                         const EvaluateOptions& options) {
  const std::string& run_dir = options.run_dir;
  ASSIGN_OR_RETURN(std::vector<StateTensor> layout, StateLayout(config));
  const CheckpointStore store(JoinPath(run_dir, kCheckpointsFolder), layout,
                              {});
  ASSIGN_OR_RETURN(const Checkpoint checkpoint, store.ReadNewest());
  LogInfo(
      absl::StrCat("evaluating '", run_dir, "' after step ", checkpoint.step));
  ASSIGN_OR_RETURN(EvaluationData data,
                   OpenEvaluationData(config, options.data_dir));
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator,
                   Evaluator::Create(runtime, config, std::move(data)));
  RETURN_IF_ERROR(CheckSameCheckpoint(*evaluator, checkpoint.step));
  ASSIGN_OR_RETURN(
      EvaluationResult result,
      evaluator->Evaluate(layout, checkpoint.values, options.kind));
  LogInfo(result.Summary());
  MetricsRecord record = result.Record(config, checkpoint.step);
  ASSIGN_OR_RETURN(const Baselines baselines,
                   evaluator->EvaluateBaselines(layout, options.kind));
  if (!baselines.empty()) LogInfo(BaselineSummary(baselines));
  record.values.insert(record.values.end(), baselines.begin(), baselines.end());
  if (runtime.place().writes_files()) {
    RETURN_IF_ERROR(WriteFileAtomically(EvaluationPath(run_dir),
                                        absl::StrCat(ToJson(record), "\n")));
  }
  return EvaluatedRun{std::move(record), std::move(result.details)};
}

}  // namespace xla_byol
