#include "xla_byol/cli/train_command.h"

#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/cli/flags.h"
#include "xla_byol/cli/process_flags.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/pjrt/executable_cache.h"
#include "xla_byol/pjrt/plugin_search.h"
#include "xla_byol/profiling/step_profiler.h"
#include "xla_byol/runtime/stop_signal.h"

namespace xla_byol {
namespace {

constexpr char kDemoConfig[] = "configs/fashion_mnist_ns.textproto";

absl::Status TrainOn(const Machine& machine, const CommandLine& line,
                     TrainOptions options) {
  const pjrt::Client& client = *machine.client;
  ASSIGN_OR_RETURN(const Config config,
                   ConfigFromFlags(line, client.global_device_count()));
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

absl::Status TrainCommand(const CommandLine& line, TrainOptions options,
                          const std::string& profile) {
  if (!profile.empty()) {
    ASSIGN_OR_RETURN(options.profile, profiling::ParseStepRange(profile));
  }
  CatchStopSignals(kExitResumable);
  if (absl::GetFlag(FLAGS_config).empty()) {
    absl::SetFlag(&FLAGS_config, pjrt::FindRunfile(kDemoConfig));
  }
  return RunTogether(
      [&](const Machine& machine) { return TrainOn(machine, line, options); });
}

}  // namespace xla_byol
