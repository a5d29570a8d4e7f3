#include "xla_byol/profiling/step_profiler.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/profiling/space.h"

namespace xla_byol::profiling {

absl::StatusOr<StepRange> ParseStepRange(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  StepRange range;
  if (!absl::SimpleAtoi(parts.first, &range.from) ||
      !absl::SimpleAtoi(parts.second, &range.to) || range.from < 0 ||
      range.to <= range.from) {
    return absl::InvalidArgumentError(
        absl::StrCat("--profile=", text,
                     ": it must be FROM:TO, such as 10:20 for the steps 10 to "
                     "19"));
  }
  return range;
}

absl::Status StepProfiler::BeforeStep(
    int64_t step, absl::FunctionRef<absl::Status()> settle) {
  const bool inside = step >= range_.from && step < range_.to;
  if (done_ || inside == trace_.recording()) return absl::OkStatus();
  RETURN_IF_ERROR(settle());
  if (inside) {
    Start();
  } else {
    StopAndWrite();
  }
  return absl::OkStatus();
}

void StepProfiler::Finish() {
  if (trace_.recording()) StopAndWrite();
  if (done_) return;
  done_ = true;
  LogWarning(absl::StrCat("--profile=", range_.from, ":", range_.to,
                          ": no such step was made"));
}

void StepProfiler::Start() {
  origin_ = absl::Now();
  trace_.Start();
  absl::StatusOr<pjrt::Profiler> devices = pjrt::Profiler::Start(plugin_);
  if (devices.ok()) {
    devices_.emplace(*std::move(devices));
  } else if (!absl::IsUnimplemented(devices.status())) {
    LogWarning(devices.status().message());
  }
}

void StepProfiler::StopAndWrite() {
  trace_.Stop();
  done_ = true;
  xspace::XSpace space;
  space.add_hostnames(host_);
  *space.add_planes() = trace_.ToPlane(origin_);
  if (devices_.has_value()) {
    const auto add = [&]() -> absl::Status {
      ASSIGN_OR_RETURN(const std::string bytes, devices_->Stop());
      ASSIGN_OR_RETURN(xspace::XSpace recorded, ParseSpace(bytes));
      AddPluginPlanes(std::move(recorded), origin_, space);
      return absl::OkStatus();
    };
    if (const absl::Status added = add(); !added.ok()) {
      LogWarning(added.message());
    }
    devices_.reset();
  }
  // The same name in all processes, without asking them.
  const std::string run =
      absl::StrFormat("steps-%08d-%08d", range_.from, range_.to);
  const absl::StatusOr<std::string> path =
      WriteSpace(space, folder_, run, host_);
  if (path.ok()) {
    LogInfo(absl::StrCat("profile: ", *path));
  } else {
    LogWarning(path.status().message());
  }
}

}  // namespace xla_byol::profiling
