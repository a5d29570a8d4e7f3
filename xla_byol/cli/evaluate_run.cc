#include "xla_byol/cli/evaluate_run.h"

#include <cstdio>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/checkpoint_store.h"
#include "xla_byol/checkpoint/run_directory.h"
#include "xla_byol/cli/flags.h"
#include "xla_byol/config/config.h"
#include "xla_byol/eval/evaluator.h"
#include "xla_byol/metrics/metrics_record.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {

absl::Status EvaluateRun(const CommandLine& line,
                         const EvaluateOptions& options) {
  if (options.run_dir.empty()) {
    return absl::InvalidArgumentError("which run? Give --run_dir");
  }
  const std::string run_dir = ResolveUserPath(options.run_dir);
  ASSIGN_OR_RETURN(Config config, ReadRunConfig(run_dir));
  RETURN_IF_ERROR(SetConfigFields(line.assignments, &config));
  ResolveConfig(&config);
  ASSIGN_OR_RETURN(const pjrt::Client client, ClientFromFlags());
  RETURN_IF_ERROR(ValidateConfig(config, client.global_device_count()));
  ASSIGN_OR_RETURN(std::vector<StateTensor> layout, StateLayout(config));
  const CheckpointStore store(JoinPath(run_dir, kCheckpointsFolder), layout,
                              {});
  ASSIGN_OR_RETURN(const Checkpoint checkpoint, store.ReadNewest());
  LogInfo(
      absl::StrCat("evaluating '", run_dir, "' after step ", checkpoint.step));
  const pjrt::ExecutableCache cache(ExecutableCacheDirectory());
  const Runtime runtime = {&client, &cache};
  ASSIGN_OR_RETURN(EvaluationData data,
                   OpenEvaluationData(config, options.data_dir));
  Evaluator evaluator(runtime, config, std::move(data));
  ASSIGN_OR_RETURN(const EvaluationResult result,
                   evaluator.Evaluate(layout, checkpoint.values,
                                      options.linear ? EvaluationKind::kFull
                                                     : EvaluationKind::kQuick));
  LogInfo(result.Summary());
  const std::string json = ToJson(result.Record(config, checkpoint.step));
  RETURN_IF_ERROR(
      WriteFileAtomically(EvaluationPath(run_dir), absl::StrCat(json, "\n")));
  std::printf("%s\n", json.c_str());
  return absl::OkStatus();
}

}  // namespace xla_byol
