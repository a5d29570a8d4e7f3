#include "xla_byol/checkpoint/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "google/protobuf/util/message_differencer.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol {
namespace {

// Fields of Config that leave the weights alone.
constexpr const char* kHarmless[] = {"name", "evaluation", "recording"};

}  // namespace

absl::StatusOr<RunDirectory> RunDirectory::Lock(const std::string& path) {
  RETURN_IF_ERROR(MakeDirectories(path));
  const std::string lock_path = JoinPath(path, kLockFile);
  const int lock = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0) {
    return ErrnoToStatus(errno, absl::StrCat("cannot open '", lock_path, "'"));
  }
  RunDirectory directory(path, lock);
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const absl::StatusOr<std::string> owner = ReadFile(lock_path);
    return absl::FailedPreconditionError(
        absl::StrCat("run directory '", path, "' is in use by process ",
                     owner.ok() ? absl::StripAsciiWhitespace(*owner) : "?",
                     "; wait for it, or give another --run_dir"));
  }
  const std::string owner = absl::StrCat(getpid(), "\n");
  // Only for the sentence above.
  if (ftruncate(lock, 0) != 0 || write(lock, owner.data(), owner.size()) < 0) {
    LogWarning(absl::StrCat("cannot write '", lock_path, "'"));
  }
  const absl::Status log = SetLogFile(directory.PathOf(kLogFile));
  if (!log.ok()) LogWarning(log.message());
  return directory;
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

RunDirectory& RunDirectory::operator=(RunDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

RunDirectory::~RunDirectory() {
  if (lock_ >= 0) close(lock_);
}

std::string RunDirectory::PathOf(absl::string_view name) const {
  return JoinPath(path_, name);
}

absl::Status RunDirectory::TakeConfig(const Config& config, bool branch) {
  const std::string path = PathOf(kConfigFile);
  const std::string text = FormatConfig(config);
  // What is there already need not be written: a full disk stops no run.
  const absl::StatusOr<std::string> there = ReadFile(path);
  if (there.ok() && *there == text) return absl::OkStatus();
  // Before the first checkpoint there is nothing that a change could spoil.
  const auto checkpoints = ListDirectory(PathOf(kCheckpointsFolder));
  if (FileExists(path) && checkpoints.ok() && !checkpoints->empty()) {
    ASSIGN_OR_RETURN(const Config before, ReadRunConfig(path_));
    const std::vector<std::string> changes = TrainingChanges(before, config);
    if (!changes.empty()) {
      const std::string list = absl::StrJoin(changes, ", ");
      if (!branch) {
        return absl::FailedPreconditionError(absl::StrCat(
            "the config differs from that of the run in '", path_, "': ", list,
            "; give --branch to continue with the new one, or another "
            "--run_dir"));
      }
      std::string kept;
      for (int i = 1; kept.empty() || FileExists(kept); ++i) {
        kept = PathOf(absl::StrCat(kOldConfigPrefix, i, ".textproto"));
      }
      RETURN_IF_ERROR(WriteFileAtomically(kept, FormatConfig(before)));
      LogInfo(absl::StrCat("branching: ", list, "; the old config is '", kept,
                           "'"));
    }
  }
  return WriteFileAtomically(path, text);
}

absl::StatusOr<Config> ReadRunConfig(const std::string& run_dir) {
  const std::string path = JoinPath(run_dir, kConfigFile);
  if (!FileExists(path)) {
    return absl::NotFoundError(absl::StrCat(
        "'", run_dir, "' is no run directory: it has no ", kConfigFile));
  }
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseConfig(text, path);
}

std::vector<std::string> TrainingChanges(const Config& before,
                                         const Config& after) {
  google::protobuf::util::MessageDifferencer differencer;
  // A field at its default is the same as one that is not there.
  differencer.set_message_field_comparison(
      google::protobuf::util::MessageDifferencer::EQUIVALENT);
  for (const char* name : kHarmless) {
    differencer.IgnoreField(Config::descriptor()->FindFieldByName(name));
  }
  std::string report;
  differencer.ReportDifferencesToString(&report);
  std::vector<std::string> changes;
  if (differencer.Compare(before, after)) return changes;
  for (absl::string_view line : absl::StrSplit(report, '\n')) {
    if (line.empty() || absl::StartsWith(line, "ignored: ")) continue;
    absl::ConsumePrefix(&line, "modified: ");
    changes.emplace_back(line);
  }
  return changes;
}

}  // namespace xla_byol
