#include "xla_byol/cli/evaluate_command.h"

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/run_directory.h"
#include "xla_byol/cli/device_flags.h"
#include "xla_byol/cli/process_flags.h"
#include "xla_byol/config/config.h"
#include "xla_byol/metrics/metrics_record.h"
#include "xla_byol/pjrt/executable_cache.h"
#include "xla_byol/reporting/feature_details_file.h"
#include "xla_byol/runtime/device_program.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

absl::Status EvaluateOn(const Machine& machine, const Config& config,
                        const EvaluateOptions& options) {
  RETURN_IF_ERROR(
      ValidateConfig(config, machine.client->global_device_count()));
  RETURN_IF_ERROR(machine.processes->CheckSame(
      "config", FormatConfig(config), [](const std::string&) {
        return "their --set differ, or --run_dir is not the same folder";
      }));
  const pjrt::ExecutableCache cache(ExecutableCacheDirectory());
  const Runtime runtime{machine.client, &cache};
  ASSIGN_OR_RETURN(const EvaluatedRun run,
                   EvaluateRun(runtime, config, options));
  if (!runtime.place().writes_files()) return absl::OkStatus();
  if (run.details.has_value()) {
    RETURN_IF_ERROR(
        WriteFeatureDetails(*run.details, run.record.step, options.run_dir));
    LogInfo(absl::StrCat("`report --run_dir=", options.run_dir,
                         "` shows neighbours, map and confusions"));
  }
  std::printf("%s\n", ToJson(run.record).c_str());
  return absl::OkStatus();
}

}  // namespace

absl::Status EvaluateCommand(const CommandLine& line, EvaluateOptions options) {
  if (options.run_dir.empty()) {
    return absl::InvalidArgumentError("which run? Give --run_dir");
  }
  options.run_dir = ResolveUserPath(options.run_dir);
  ASSIGN_OR_RETURN(Config config, ReadRunConfig(options.run_dir));
  RETURN_IF_ERROR(SetConfigFields(line.assignments, &config));
  ResolveConfig(&config);
  return RunTogether([&](const Machine& machine) {
    return EvaluateOn(machine, config, options);
  });
}

}  // namespace xla_byol
