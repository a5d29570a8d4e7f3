#include "xla_byol/inspect/export_step.h"

#include <unistd.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/inspect/inspect_page.h"

namespace xla_byol {
namespace {

// A program for this machine is not refused, as devices' memory is; it may be
// meant for a larger one.
void WarnOfShortage(const pjrt::CompiledMemory& memory) {
  const double needed = static_cast<double>(memory.temp_bytes) +
                        static_cast<double>(memory.argument_bytes);
  const double present = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                         static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (needed <= present) return;
  LogWarning(absl::StrFormat(
      "the step needs %.0f GB, and this machine has %.0f; a smaller --batch, "
      "or --platform=tpu with --topology=v3:8x8 (docs/export.md)",
      needed / 1e9, present / 1e9));
}

void Tell(const CompileReport& report) {
  if (report.memory.has_value()) {
    LogInfo(absl::StrFormat(
        "memory per device: %.3f GB temporaries, %.3f GB arguments, of which "
        "%.3f GB are updated in place",
        static_cast<double>(report.memory->temp_bytes) / 1e9,
        static_cast<double>(report.memory->argument_bytes) / 1e9,
        static_cast<double>(report.memory->alias_bytes) / 1e9));
    if (report.platform == "cpu") WarnOfShortage(*report.memory);
  }
}

}  // namespace

absl::Status WriteInspection(const std::string& folder,
                             const std::string& compare) {
  std::vector<std::string> folders = {ResolveUserPath(folder)};
  if (!compare.empty()) folders.push_back(ResolveUserPath(compare));
  std::vector<InspectedExport> exports;
  for (const std::string& one : folders) {
    ASSIGN_OR_RETURN(InspectedExport read, ReadInspectedExport(one));
    exports.push_back(std::move(read));
  }
  return WriteFileAtomically(JoinPath(folders[0], "inspect.html"),
                             InspectPage(exports));
}

absl::Status ExportStep(const Config& config, const Destination& destination,
                        const ExportOptions& options) {
  ASSIGN_OR_RETURN(ExportedStep step, BuildStep(config, destination));
  const std::string folder = ResolveUserPath(options.out_dir);
  // Before the compiler works, as it may fail.
  RETURN_IF_ERROR(WriteStep(folder, step));
  LogInfo(absl::StrFormat(
      "built the step in %.2f s (%.1f MB of StableHLO)",
      step.report.build_seconds,
      static_cast<double>(step.step.program.text.size()) / 1e6));
  if (destination.plugin() != nullptr) {
    RETURN_IF_ERROR(CompileStep(destination, step));
    Tell(step.report);
    RETURN_IF_ERROR(WriteStep(folder, step));
    if (step.program.has_value()) {
      RETURN_IF_ERROR(WriteInspection(folder, options.compare));
    }
  }
  LogInfo(absl::StrCat(
      "wrote ", folder,
      step.program.has_value() ? "; open its inspect.html in a browser" : ""));
  return absl::OkStatus();
}

}  // namespace xla_byol
