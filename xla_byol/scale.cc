// How a config scales: a table over machines and batch sizes, or the largest
// batch that one machine takes. Compiles for topologies, without the hardware.

#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/cli/command_line.h"
#include "xla_byol/cli/config_flags.h"
#include "xla_byol/cli/destination_flags.h"
#include "xla_byol/cli/device_flags.h"
#include "xla_byol/scaling/batch_planner.h"
#include "xla_byol/scaling/scaling_sweep.h"

ABSL_FLAG(std::string, out_dir, "scale", "Where the files go.");
ABSL_FLAG(std::string, sweep, "",
          "Topologies, with commas: a table of memory, time and speed of each "
          "with each --global_batch.");
ABSL_FLAG(std::string, global_batch, "4096",
          "--sweep: images in a step over all devices; several with commas.");
ABSL_FLAG(bool, compile_all, false,
          "--sweep: compiles every point, also those with the same number of "
          "images per device.");
ABSL_FLAG(
    bool, fit, false,
    "Finds the largest batch per device that fits in --topology's memory, "
    "with and without rematerialization.");
ABSL_FLAG(std::string, topology, "",
          "--fit: the machine, v3:8x8 (TPU) or a100:8 (GPU).");
ABSL_FLAG(int, fit_unit, 8, "--fit: images per device are multiples of this.");

namespace xla_byol {
namespace {

absl::Status SweepFromFlags(const CommandLine& line,
                            const std::string& folder) {
  SweepOptions options{
      .topologies = absl::StrSplit(absl::GetFlag(FLAGS_sweep), ','),
      .compile_all = absl::GetFlag(FLAGS_compile_all)};
  for (const absl::string_view text :
       absl::StrSplit(absl::GetFlag(FLAGS_global_batch), ',')) {
    int batch = 0;
    if (!absl::SimpleAtoi(text, &batch) || batch < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("--global_batch: '", text,
                       "' is no number of images; use 4096,8192"));
    }
    options.batches.push_back(batch);
  }
  ASSIGN_OR_RETURN(const Config config, UncheckedConfigFromFlags(line));
  RETURN_IF_ERROR(CheckDataDescribed(config));
  return Sweep(config, options, DestinationFromFlags, folder);
}

absl::Status FitFromFlags(const CommandLine& line, const std::string& topology,
                          const std::string& folder) {
  if (topology.empty()) {
    return absl::InvalidArgumentError(
        "--fit needs a --topology, whose memory is known: v3:8x8, a100:8");
  }
  const int unit = absl::GetFlag(FLAGS_fit_unit);
  if (unit < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--fit_unit=", unit, ": it must be 1 or more"));
  }
  ASSIGN_OR_RETURN(const Config config, UncheckedConfigFromFlags(line));
  ASSIGN_OR_RETURN(const Destination destination,
                   DestinationFromFlags(topology));
  return PlanBatch(config, destination, unit, folder);
}

absl::Status Scale(const CommandLine& line) {
  const bool sweep = !absl::GetFlag(FLAGS_sweep).empty();
  if (sweep == absl::GetFlag(FLAGS_fit)) {
    return absl::InvalidArgumentError(
        "give either --sweep=TOPOLOGY,TOPOLOGY,... for a table, or --fit "
        "--topology=TOPOLOGY for the largest batch");
  }
  if (absl::GetFlag(FLAGS_platform) == "none") {
    return absl::InvalidArgumentError(
        "--platform=none: a program that is not compiled has neither memory "
        "nor time; use tpu or gpu");
  }
  const std::string folder = ResolveUserPath(absl::GetFlag(FLAGS_out_dir));
  return sweep ? SweepFromFlags(line, folder)
               : FitFromFlags(line, absl::GetFlag(FLAGS_topology), folder);
}

}  // namespace
}  // namespace xla_byol

int main(int argc, char** argv) {
  return xla_byol::RunMain(
      argc, argv,
      {"Estimates how a config scales over machines (--sweep) or how large a "
       "batch fits in memory (--fit), by compiling for --platform=tpu or gpu.",
       "--config=configs/imagenet100_ns.textproto --platform=tpu "
       "--sweep=v3:2x2,v3:8x8"},
      xla_byol::Scale);
}
