// `train --profile=FROM:TO`: a profile of some training steps.

#ifndef XLA_BYOL_PROFILING_STEP_PROFILER_H_
#define XLA_BYOL_PROFILING_STEP_PROFILER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "xla_byol/pjrt/plugin.h"
#include "xla_byol/pjrt/profiler.h"
#include "xla_byol/profiling/host_trace.h"

namespace xla_byol::profiling {

// Steps `from` ... `to` - 1.
struct StepRange {
  int64_t from = 0;
  int64_t to = 0;
};
// "10:20". INVALID_ARGUMENT for anything else, and for a range of no steps.
absl::StatusOr<StepRange> ParseStepRange(absl::string_view text);

// Records the steps of a range and writes the file. That something about it
// fails is a warning: a profile never ends a training. Not thread-safe, but for
// trace().
class StepProfiler {
 public:
  // `host` names this process's file among those of others. The plugin must
  // outlive it.
  StepProfiler(const pjrt::Plugin& plugin, const StepRange& range,
               std::string folder, std::string host)
      : plugin_(plugin),
        range_(range),
        folder_(std::move(folder)),
        host_(std::move(host)) {}

  // Between steps: begins the recording if `step`, the next one, is in the
  // range, and ends it if it is behind it. `settle` waits for the steps in
  // line, so that devices do in the recording what belongs to it.
  absl::Status BeforeStep(int64_t step,
                          absl::FunctionRef<absl::Status()> settle);
  // Training ends, at whatever step. Says so if the range was never reached.
  void Finish();

  // Where the program's own spans go.
  HostTrace* trace() { return &trace_; }

 private:
  void Start();
  void StopAndWrite();

  const pjrt::Plugin& plugin_;
  const StepRange range_;
  const std::string folder_;
  const std::string host_;
  HostTrace trace_;
  absl::Time origin_;
  std::optional<pjrt::Profiler> devices_;
  bool done_ = false;
};

}  // namespace xla_byol::profiling

#endif  // XLA_BYOL_PROFILING_STEP_PROFILER_H_
