#include "xla_byol/runtime/executable_file.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "xla_byol/base/crc32c.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/runtime/step_json.h"

namespace xla_byol {
namespace {

constexpr absl::string_view kFile = "step.executable";

std::string CpuInstructions() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (absl::StartsWith(line, "flags")) return absl::StrCat(Crc32c(line));
  }
  return "unknown";
}

// Why a file that is there cannot be used.
absl::Status Refused(const std::string& folder, absl::string_view reason) {
  return absl::FailedPreconditionError(
      absl::StrCat(JoinPath(folder, kFile), " ", reason,
                   "; export it again for this machine, or leave "
                   "--executable out to compile here"));
}

template <typename T>
absl::Status CheckSame(const std::string& folder, absl::string_view what,
                       const T& exported, const T& here) {
  if (exported == here) return absl::OkStatus();
  return Refused(folder, absl::StrCat("was made for ", what, " '", exported,
                                      "', this is '", here, "'"));
}

}  // namespace

std::string PluginIdentity(const pjrt::Plugin& plugin) {
  std::error_code ignored;
  std::string identity = absl::StrCat(
      pjrt::Info(plugin.platform()).name, " api ", plugin.api_version(),
      " xla ", plugin.attribute("xla_version"), " size ",
      std::filesystem::file_size(plugin.path(), ignored));
  if (pjrt::Info(plugin.platform()).host_instructions) {
    absl::StrAppend(&identity, " instructions ", CpuInstructions());
  }
  return identity;
}

absl::StatusOr<pjrt::LoadedExecutable> LoadExecutableFile(
    const std::string& path, const pjrt::Client& client,
    absl::string_view program) {
  absl::string_view stripped = path;
  absl::ConsumeSuffix(&stripped, kFile);
  const std::string folder = stripped.empty() ? "." : std::string(stripped);
  ASSIGN_OR_RETURN(const StepRecord record, ReadStepJson(folder));
  const CompileReport& report = record.report;
  if (!report.executable.has_value()) {
    return absl::NotFoundError(absl::StrCat(
        JoinPath(folder, "step.json"),
        " tells of no executable; export with --platform and --topology"));
  }
  const ExecutableRecord& executable = *report.executable;
  RETURN_IF_ERROR(CheckSame(folder, "plugin", executable.plugin,
                            PluginIdentity(client.plugin())));
  RETURN_IF_ERROR(CheckSame(folder, "devices of kind", executable.device_kind,
                            client.devices().empty()
                                ? std::string()
                                : client.devices()[0].description().kind));
  RETURN_IF_ERROR(CheckSame(folder, "a number of devices of", report.devices,
                            client.global_device_count()));
  if (report.program_crc32c != Crc32c(program)) {
    return Refused(folder,
                   "holds another program (CRC-32C of step.mlir differs): the "
                   "config, the batch or this program's version is another");
  }
  const absl::StatusOr<std::string> bytes = ReadFile(JoinPath(folder, kFile));
  if (!bytes.ok()) return bytes.status();
  if (static_cast<int64_t>(bytes->size()) != executable.bytes ||
      Crc32c(*bytes) != executable.crc32c) {
    return absl::DataLossError(
        absl::StrCat(JoinPath(folder, kFile), " is damaged: ", bytes->size(),
                     " bytes where step.json tells of ", executable.bytes,
                     ", or another CRC-32C; copy or export it again"));
  }
  return client.Deserialize(*bytes);
}

}  // namespace xla_byol
