#include "xla_byol/scaling/batch_planner.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/inspect/collective_model.h"
#include "xla_byol/inspect/memory_shortage.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

// Where the line through the two trials nearest to the limit crosses what a
// device has, in units; at least one above what fits and below what does not.
int NextGuess(int unit, const std::map<int, FitTrial>& trials, int fits,
              int too_large) {
  const auto last = trials.find(fits * unit);
  auto before = last;
  double guess = 2.0 * fits;
  // A trial that fits can be preceded by another; sizes that do not fit are
  // known to need more, but the compiler tells how much only roughly.
  if (last != trials.end() && last != trials.begin()) {
    --before;
    const double slope =
        (last->second.needed_bytes - before->second.needed_bytes) /
        (last->first - before->first);
    if (slope > 0) {
      guess =
          (last->first +
           (last->second.available_bytes - last->second.needed_bytes) / slope) /
          unit;
    }
  }
  int next = static_cast<int>(std::min(std::floor(guess), 1e6));
  if (too_large > 0) {
    // Halve the interval when the line points out of it.
    if (next <= fits || next >= too_large) next = (fits + too_large) / 2;
    return std::clamp(next, fits + 1, too_large - 1);
  }
  return std::max(next, fits + 1);
}

struct Plan {
  bool rematerialize = false;
  int images = 0;
  FitTrial trial;
  StepEstimate estimate;
  int devices = 1;
};

class Planner {
 public:
  Planner(const Config& config, const Destination& destination, int unit)
      : config_(config), destination_(destination), unit_(unit) {}

  absl::StatusOr<Plan> Run(bool rematerialize) {
    std::map<int, FitTrial> trials;
    std::map<int, StepEstimate> estimates;
    Plan plan{.rematerialize = rematerialize, .devices = destination_.devices};
    const auto attempt = [&](int images) -> absl::StatusOr<FitTrial> {
      return Try(rematerialize, images, estimates[images]);
    };
    ASSIGN_OR_RETURN(plan.images, LargestFitting(unit_, attempt, trials));
    if (plan.images > 0) {
      plan.trial = trials.at(plan.images);
      plan.estimate = estimates.at(plan.images);
    }
    return plan;
  }

 private:
  absl::StatusOr<FitTrial> Try(bool rematerialize, int images,
                               StepEstimate& estimate) const {
    const int64_t batch = int64_t{images} * destination_.devices;
    if (batch > std::numeric_limits<int32_t>::max()) {
      return absl::OutOfRangeError(absl::StrCat(
          "a batch of ", batch, " images still fits ",
          destination_.topology_name, "; a config cannot have more"));
    }
    Config config = config_;
    config.mutable_schedule()->set_batch_size(static_cast<int32_t>(batch));
    config.mutable_execution()->set_rematerialize(rematerialize);
    RETURN_IF_ERROR(ValidateConfig(config, destination_.devices));
    ASSIGN_OR_RETURN(ExportedStep step, BuildStep(config, destination_));
    const absl::Status status = CompileStep(destination_, step);
    ASSIGN_OR_RETURN(
        const Machine machine,
        FindMachine(destination_.topology_name, destination_.devices));
    FitTrial trial{.available_bytes =
                       static_cast<double>(machine.hardware.memory_bytes)};
    if (absl::IsResourceExhausted(status)) {
      if (const auto shortage = ParseMemoryShortage(status.message())) {
        trial.needed_bytes = shortage->needed_bytes;
      }
    } else {
      RETURN_IF_ERROR(status);
      trial.fits = true;
      trial.needed_bytes = OccupiedBytes(*step.report.memory);
      if (!step.program.has_value()) {
        return absl::UnavailableError(
            "the plugin does not tell the compiled program");
      }
      ProgramCost cost = AnalyzeProgram(*step.program);
      estimate = EstimateStep(machine, cost);
    }
    LogInfo(absl::StrFormat("%d images per device%s: %s (%.2f GiB)", images,
                            rematerialize ? ", rematerialized" : "",
                            trial.fits ? "fits" : "does not fit",
                            trial.needed_bytes / kGiB));
    return trial;
  }

  const Config& config_;
  const Destination& destination_;
  const int unit_;
};

}  // namespace

absl::StatusOr<int> LargestFitting(
    int unit, absl::FunctionRef<absl::StatusOr<FitTrial>(int)> attempt,
    std::map<int, FitTrial>& trials) {
  int fits = 0;       // in units
  int too_large = 0;  // 0: not known
  const auto look = [&](int units) -> absl::Status {
    ASSIGN_OR_RETURN(const FitTrial trial, attempt(units * unit));
    trials[units * unit] = trial;
    if (trial.fits) {
      fits = std::max(fits, units);
    } else {
      too_large = too_large == 0 ? units : std::min(too_large, units);
    }
    return absl::OkStatus();
  };
  for (const int units : {1, 2}) {
    RETURN_IF_ERROR(look(units));
    if (too_large > 0) return fits * unit;
  }
  while (too_large == 0 || too_large > fits + 1) {
    RETURN_IF_ERROR(look(NextGuess(unit, trials, fits, too_large)));
  }
  return fits * unit;
}

absl::Status PlanBatch(const Config& config, const Destination& topology,
                       int unit, const std::string& folder) {
  RETURN_IF_ERROR(
      FindMachine(topology.topology_name, topology.devices).status());
  Planner planner(config, topology, unit);
  std::string csv =
      "rematerialize,images_per_device,batch,memory_bytes,compute_seconds,"
      "collective_seconds,step_seconds,images_per_second\n";
  std::string table = absl::StrFormat(
      "%-14s %9s %8s %10s %10s %11s %10s\n", "rematerialize", "per dev.",
      "batch", "memory", "step", "collectives", "images/s");
  for (const bool rematerialize : {false, true}) {
    ASSIGN_OR_RETURN(const Plan plan, planner.Run(rematerialize));
    if (plan.images == 0) {
      absl::StrAppendFormat(&table, "%-14s not even %d images per device fit\n",
                            rematerialize ? "yes" : "no", unit);
      continue;
    }
    const double seconds = plan.estimate.seconds();
    const int64_t batch = int64_t{plan.images} * plan.devices;
    absl::StrAppendFormat(&table,
                          "%-14s %9d %8d %6.2f GiB %7.1f ms %8.1f ms %10.0f\n",
                          rematerialize ? "yes" : "no", plan.images, batch,
                          plan.trial.needed_bytes / kGiB, seconds * 1e3,
                          plan.estimate.collectives.seconds() * 1e3,
                          static_cast<double>(batch) / seconds);
    absl::StrAppendFormat(&csv, "%s,%d,%d,%.0f,%.6g,%.6g,%.6g,%.6g\n",
                          rematerialize ? "true" : "false", plan.images, batch,
                          plan.trial.needed_bytes,
                          plan.estimate.compute_seconds,
                          plan.estimate.collectives.seconds(), seconds,
                          static_cast<double>(batch) / seconds);
  }
  RETURN_IF_ERROR(MakeDirectories(folder));
  RETURN_IF_ERROR(WriteFileAtomically(JoinPath(folder, "fit.csv"), csv));
  std::fputs(table.c_str(), stdout);
  return absl::OkStatus();
}

}  // namespace xla_byol
