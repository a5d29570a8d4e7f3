#include "xla_byol/cli/train_command.h"

#include <string>
#include <utility>

#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/cli/config_flags.h"
#include "xla_byol/cli/device_flags.h"
#include "xla_byol/cli/process_flags.h"
#include "xla_byol/cli/train_config.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/pjrt/executable_cache.h"
#include "xla_byol/profiling/step_profiler.h"
#include "xla_byol/runtime/stop_signal.h"

namespace xla_byol {
namespace {

absl::Status TrainOn(const Machine& machine, const CommandLine& line,
                     const std::string& dataset, TrainOptions options) {
  const pjrt::Client& client = *machine.client;
  ASSIGN_OR_RETURN(
      const Config config,
      TrainConfigFromFlags(
          line, {.dataset = dataset,
                 .data_dir = options.data_dir,
                 .for_cpu = client.plugin().platform() == pjrt::Platform::kCpu,
                 .devices = client.global_device_count()}));
  options.run_dir =
      ResolveUserPath(options.run_dir.empty() ? JoinPath("runs", config.name())
                                              : options.run_dir);
  if (!options.executable.empty()) {
    options.executable = ResolveUserPath(options.executable);
  }
  options.processes = machine.processes;
  const pjrt::ExecutableCache cache(ExecutableCacheDirectory());
  return Train({&client, &cache}, config, options);
}

}  // namespace

absl::Status TrainCommand(const CommandLine& line, TrainFlags flags) {
  if (!flags.profile.empty()) {
    ASSIGN_OR_RETURN(flags.options.profile,
                     profiling::ParseStepRange(flags.profile));
  }
  CatchStopSignals(kExitResumable);
  return RunTogether([&](const Machine& machine) {
    return TrainOn(machine, line, flags.dataset, flags.options);
  });
}

}  // namespace xla_byol
