#include "xla_byol/studies/shared_runs.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/util/message_differencer.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/run_directory.h"

namespace xla_byol {
namespace {

namespace fs = std::filesystem;

// All but the name: what is evaluated and recorded counts as well as what is
// trained, since tables and figures show it.
bool SameConfig(Config one, Config other) {
  one.clear_name();
  other.clear_name();
  return google::protobuf::util::MessageDifferencer::Equivalent(one, other);
}

// Complete, and trained in this folder itself.
bool IsTheSame(const std::string& run_dir, const StudyRun& run,
               const Provenance& provenance) {
  if (fs::is_symlink(run_dir)) return false;
  const absl::StatusOr<std::optional<MetricsRecord>> evaluation =
      FinalEvaluation(run_dir, run.config);
  if (!evaluation.ok() || !evaluation->has_value()) return false;
  if (ReadProvenance(run_dir) != provenance) return false;
  const absl::StatusOr<Config> config = ReadRunConfig(run_dir);
  return config.ok() && SameConfig(*config, run.config);
}

std::vector<std::string> FoldersIn(const std::string& folder) {
  std::vector<std::string> paths;
  const absl::StatusOr<std::vector<std::string>> names = ListDirectory(folder);
  if (!names.ok()) return paths;
  for (const std::string& name : *names) {
    paths.push_back(JoinPath(folder, name));
  }
  return paths;
}

std::string Find(const std::string& studies, const StudyRun& run,
                 const Provenance& provenance) {
  for (const std::string& study : FoldersIn(studies)) {
    for (const std::string& run_dir : FoldersIn(JoinPath(study, "runs"))) {
      if (IsTheSame(run_dir, run, provenance)) return run_dir;
    }
  }
  return "";
}

absl::Status Failed(absl::string_view what, const std::string& path,
                    const std::error_code& error) {
  return ErrnoToStatus(error.value(), absl::StrCat(what, " '", path, "'"));
}

}  // namespace

bool NamesOneProgram(absl::string_view commit) {
  return !absl::EndsWith(commit, "-dirty");
}

absl::StatusOr<std::string> TakeSharedRun(const std::string& studies,
                                          absl::string_view study_dir,
                                          const StudyRun& run,
                                          const Provenance& provenance) {
  const std::string run_dir = RunDirectoryOf(study_dir, run);
  std::error_code error;
  if (fs::is_symlink(run_dir)) {
    if (!fs::remove(run_dir, error)) return Failed("remove", run_dir, error);
  } else if (FileExists(run_dir)) {
    return "";
  }
  if (studies.empty() || !NamesOneProgram(provenance.commit)) return "";
  const std::string other = Find(studies, run, provenance);
  if (other.empty()) return "";
  const fs::path folder = fs::path(run_dir).parent_path();
  RETURN_IF_ERROR(MakeDirectories(folder.string()));
  // Relative, so that all studies can be moved or copied as one.
  const fs::path target = fs::relative(other, folder, error);
  if (!error) fs::create_directory_symlink(target, run_dir, error);
  if (error) return Failed("link", run_dir, error);
  return other;
}

}  // namespace xla_byol
