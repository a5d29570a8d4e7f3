#include "xla_byol/scaling/scaling_sweep.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/inspect/collective_model.h"
#include "xla_byol/inspect/inspection.h"
#include "xla_byol/inspect/memory_shortage.h"
#include "xla_byol/inspect/step_compiler.h"
#include "xla_byol/runtime/executable_file.h"
#include "xla_byol/scaling/scaling_table.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

// What one compilation tells about one device.
struct DevicePoint {
  std::string topology;
  pjrt::CompiledMemory memory;
  std::optional<double> optimal_seconds;
  ProgramCost cost;
  std::string problem;  // it does not fit
};

// v3:8x8 and 4096 as a folder's name.
std::string PointName(const ScalingRow& row) {
  return absl::StrCat(absl::StrReplaceAll(row.topology, {{":", "-"}}), "_b",
                      row.batch);
}

class Sweeper {
 public:
  Sweeper(const Config& config, const SweepOptions& options, OpenTopology open,
          const std::string& folder)
      : config_(config), options_(options), open_(open), folder_(folder) {}

  absl::Status Run() {
    RETURN_IF_ERROR(ListPoints());
    // From few images per device to many: once one does not fit, no larger one
    // does.
    std::vector<size_t> order(rows_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    // Among equals what is already there comes first, to serve the others.
    const auto rank = [this](size_t i) {
      return std::make_pair(rows_[i].batch_per_device, !HasFolder(rows_[i]));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&rank](size_t a, size_t b) { return rank(a) < rank(b); });
    RETURN_IF_ERROR(MakeDirectories(folder_));
    for (const size_t i : order) {
      RETURN_IF_ERROR(Fill(rows_[i]));
      RETURN_IF_ERROR(WriteFileAtomically(JoinPath(folder_, "scaling.csv"),
                                          ScalingCsv(rows_)));
    }
    RETURN_IF_ERROR(WriteFileAtomically(JoinPath(folder_, "scaling.svg"),
                                        ScalingSvg(rows_)));
    std::fputs(ScalingText(rows_).c_str(), stdout);
    LogInfo(absl::StrCat("wrote ", JoinPath(folder_, "scaling.csv"), " and ",
                         JoinPath(folder_, "scaling.svg")));
    return absl::OkStatus();
  }

 private:
  absl::Status ListPoints() {
    for (const std::string& topology : options_.topologies) {
      ASSIGN_OR_RETURN(const Destination destination, open_(topology));
      const int devices = destination.devices;
      RETURN_IF_ERROR(FindMachine(topology, devices).status());
      for (const int batch : options_.batches) {
        ScalingRow row{
            .topology = topology, .devices = devices, .batch = batch};
        row.batch_per_device = batch / devices;
        // A wrong config should end the sweep before its first compilation.
        if (batch % devices == 0 && batch >= devices) {
          RETURN_IF_ERROR(ConfigOf(row).status());
        } else {
          row.problem = absl::StrFormat(
              "the batch does not divide by %d devices", devices);
        }
        rows_.push_back(std::move(row));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Config> ConfigOf(const ScalingRow& row) const {
    Config config = config_;
    config.mutable_schedule()->set_batch_size(row.batch);
    RETURN_IF_ERROR(ValidateConfig(config, row.devices));
    return config;
  }

  absl::Status Fill(ScalingRow& row) {
    if (!row.problem.empty()) return absl::OkStatus();
    const std::string generation =
        row.topology.substr(0, row.topology.find(':'));
    auto& points = points_[generation];
    if (!options_.compile_all) {
      for (const auto& [size, point] : points) {
        if (!point.problem.empty() && size < row.batch_per_device) {
          row.problem = absl::StrFormat(
              "not tried: %d images per device do not fit", size);
          return absl::OkStatus();
        }
      }
    }
    auto known = points.find(row.batch_per_device);
    if (known == points.end() || options_.compile_all) {
      ASSIGN_OR_RETURN(DevicePoint point, Point(row));
      known =
          points.insert_or_assign(row.batch_per_device, std::move(point)).first;
    }
    const DevicePoint& point = known->second;
    if (point.topology != row.topology) row.compiled_for = point.topology;
    if (!point.problem.empty()) {
      row.problem = point.problem;
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const Machine machine,
                     FindMachine(row.topology, row.devices));
    ProgramCost cost = point.cost;
    const StepEstimate estimate = EstimateStep(machine, cost);
    row.memory_bytes = OccupiedBytes(point.memory);
    row.compute_seconds = estimate.compute_seconds;
    row.optimal_seconds = point.optimal_seconds;
    row.collective_seconds = estimate.collectives.seconds();
    row.collective_bytes = estimate.collective_bytes;
    return absl::OkStatus();
  }

  // Compiles a point, or reads what an earlier run left of it.
  absl::StatusOr<DevicePoint> Point(const ScalingRow& row) const {
    const std::string folder = JoinPath(folder_, PointName(row));
    DevicePoint point{.topology = row.topology};
    ASSIGN_OR_RETURN(const Destination destination, open_(row.topology));
    ASSIGN_OR_RETURN(const Config config, ConfigOf(row));
    ASSIGN_OR_RETURN(ExportedStep step, BuildStep(config, destination));
    if (IsThere(folder, destination, step)) {
      LogInfo(absl::StrCat("found ", folder));
    } else {
      const absl::Status compiled = CompileStep(destination, step);
      if (absl::IsResourceExhausted(compiled)) {
        LogInfo(compiled.message());
        // The first part of the sentence is enough for a table.
        point.problem = std::string(
            compiled.message().substr(0, compiled.message().find(';')));
        return point;
      }
      RETURN_IF_ERROR(compiled);
      // Only what a later run of the sweep needs.
      step.executable.clear();
      RETURN_IF_ERROR(WriteStep(folder, step));
      LogInfo(absl::StrFormat("compiled %s in %.0f s", PointName(row),
                              step.report.compile_seconds.value_or(0)));
    }
    ASSIGN_OR_RETURN(const StepRecord record, ReadStepJson(folder));
    if (!record.report.memory.has_value()) {
      return absl::UnavailableError(absl::StrCat(
          "the plugin does not tell the memory of ", PointName(row)));
    }
    point.memory = *record.report.memory;
    point.optimal_seconds = record.report.optimal_seconds;
    ASSIGN_OR_RETURN(point.cost, ReadInspectedCost(folder));
    return point;
  }

  bool HasFolder(const ScalingRow& row) const {
    return FileExists(JoinPath(JoinPath(folder_, PointName(row)), "step.json"));
  }

  static bool IsThere(const std::string& folder, const Destination& destination,
                      const ExportedStep& step) {
    const absl::StatusOr<StepRecord> record = ReadStepJson(folder);
    return record.ok() && record->report.executable.has_value() &&
           record->report.program_crc32c == step.report.program_crc32c &&
           record->report.executable->plugin ==
               PluginIdentity(*destination.plugin()) &&
           FileExists(JoinPath(folder, kInspectionFile));
  }

  const Config& config_;
  const SweepOptions& options_;
  const OpenTopology open_;
  const std::string folder_;
  std::vector<ScalingRow> rows_;
  // By generation and images per device.
  std::map<std::string, std::map<int, DevicePoint>> points_;
};

}  // namespace

absl::Status Sweep(const Config& config, const SweepOptions& options,
                   OpenTopology open, const std::string& folder) {
  return Sweeper(config, options, open, folder).Run();
}

}  // namespace xla_byol
