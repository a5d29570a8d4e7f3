// One page from one or many runs.

#include "xla_byol/reporting/report.h"

#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/cli/command_line.h"

ABSL_FLAG(std::string, run_dir, "",
          "The runs' directories, separated by commas.");
ABSL_FLAG(std::string, out, "",
          "The page; by default report.html in the run directory, or here for "
          "several runs.");

namespace xla_byol {
namespace {

absl::Status Report() {
  std::vector<std::string> run_dirs;
  for (const absl::string_view run_dir :
       absl::StrSplit(absl::GetFlag(FLAGS_run_dir), ',', absl::SkipEmpty())) {
    run_dirs.push_back(ResolveUserPath(run_dir));
  }
  if (run_dirs.empty()) {
    return absl::InvalidArgumentError(
        "which runs? Give --run_dir=DIR or --run_dir=DIR,DIR,...");
  }
  std::string out = absl::GetFlag(FLAGS_out);
  if (out.empty() && run_dirs.size() == 1) {
    out = JoinPath(run_dirs[0], kReportFile);
  } else {
    out = ResolveUserPath(out.empty() ? std::string(kReportFile) : out);
  }
  RETURN_IF_ERROR(WriteReport(run_dirs, out));
  LogInfo(absl::StrCat("wrote ", out));
  return absl::OkStatus();
}

}  // namespace
}  // namespace xla_byol

int main(int argc, char** argv) {
  return xla_byol::RunMain(
      argc, argv,
      {"Writes one self-contained page about one run, or many side by side.",
       "--run_dir=runs/mine,runs/other --out=both.html"},
      [](const xla_byol::CommandLine&) { return xla_byol::Report(); });
}
