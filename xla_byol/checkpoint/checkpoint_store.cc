#include "xla_byol/checkpoint/checkpoint_store.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol {
namespace {

// The first free name that says a folder is bad.
std::string NameAside(const std::string& folder) {
  const std::filesystem::path path(folder);
  for (int i = 0;; ++i) {
    const std::string name =
        absl::StrCat(kDamagedPrefix, path.filename().string(),
                     i == 0 ? "" : absl::StrCat("-", i));
    const std::string aside = (path.parent_path() / name).string();
    if (!FileExists(aside)) return aside;
  }
}

}  // namespace

CheckpointStore::CheckpointStore(std::string folder,
                                 std::vector<StateTensor> layout,
                                 CheckpointPolicy policy)
    : folder_(std::move(folder)), layout_(std::move(layout)), policy_(policy) {}

CheckpointStore::~CheckpointStore() { Wait().IgnoreError(); }

std::string CheckpointStore::FolderOf(int64_t step) const {
  return JoinPath(folder_, absl::StrFormat("%s%08d", kCheckpointPrefix, step));
}

absl::StatusOr<std::vector<int64_t>> CheckpointStore::Steps() const {
  std::vector<int64_t> steps;
  if (!FileExists(folder_)) return steps;
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   ListDirectory(folder_));
  for (absl::string_view name : names) {
    int64_t step;
    if (absl::ConsumePrefix(&name, kCheckpointPrefix) &&
        absl::SimpleAtoi(name, &step)) {
      steps.push_back(step);
    }
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

absl::StatusOr<std::optional<Checkpoint>> CheckpointStore::Newest(
    bool set_aside) const {
  ASSIGN_OR_RETURN(const std::vector<int64_t> steps, Steps());
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const std::string folder = FolderOf(*step);
    absl::StatusOr<Checkpoint> checkpoint = ReadCheckpoint(folder, layout_);
    if (checkpoint.ok()) return *std::move(checkpoint);
    // A checkpoint of another config or a newer format is not damaged: older
    // ones are no better, or would silently undo what the newer program did.
    if (!absl::IsDataLoss(checkpoint.status())) return checkpoint.status();
    std::string fate = "trying an older one";
    if (set_aside) {
      const std::string aside = NameAside(folder);
      if (std::rename(folder.c_str(), aside.c_str()) == 0) {
        fate = absl::StrCat("renamed to '", aside, "', ", fate);
      }
    }
    LogWarning(absl::StrCat(checkpoint.status().message(), "; ", fate));
  }
  if (!steps.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "none of the ", steps.size(), " checkpoints in '", folder_,
        "' is intact; start again in another --run_dir, or delete this one"));
  }
  // Damaged ones of earlier starts count as well.
  if (FileExists(folder_)) {
    ASSIGN_OR_RETURN(const std::vector<std::string> names,
                     ListDirectory(folder_));
    for (const std::string& name : names) {
      if (!absl::StartsWith(name, kDamagedPrefix)) continue;
      return absl::FailedPreconditionError(absl::StrCat(
          "'", folder_, "' has only damaged checkpoints, such as '", name,
          "'; start again in another --run_dir, or delete this one"));
    }
  }
  return std::nullopt;
}

void CheckpointStore::SweepTemporaries() {
  absl::StatusOr<std::vector<std::string>> names = ListDirectory(folder_);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    if (!absl::StartsWith(name, kUnfinishedPrefix)) continue;
    std::error_code error;
    std::filesystem::remove_all(JoinPath(folder_, name), error);
  }
}

absl::StatusOr<std::optional<Checkpoint>> CheckpointStore::TakeNewest() {
  ASSIGN_OR_RETURN(std::optional<Checkpoint> checkpoint,
                   Newest(/*set_aside=*/true));
  // Not before: a run that is refused stays as it is.
  SweepTemporaries();
  if (checkpoint.has_value()) {
    absl::MutexLock lock(&mutex_);
    last_good_step_ = checkpoint->step;
  }
  return checkpoint;
}

absl::StatusOr<Checkpoint> CheckpointStore::ReadNewest() const {
  ASSIGN_OR_RETURN(std::optional<Checkpoint> checkpoint,
                   Newest(/*set_aside=*/false));
  if (!checkpoint.has_value()) {
    return absl::NotFoundError(
        absl::StrCat("there are no checkpoints in '", folder_, "'"));
  }
  return *std::move(checkpoint);
}

bool CheckpointStore::busy() const {
  absl::MutexLock lock(&mutex_);
  return busy_;
}

int64_t CheckpointStore::last_good_step() const {
  absl::MutexLock lock(&mutex_);
  return last_good_step_;
}

void CheckpointStore::Save(int64_t step, StateValues values) {
  Wait().IgnoreError();  // it has been told
  {
    absl::MutexLock lock(&mutex_);
    busy_ = true;
  }
  writer_ = std::thread([this, step, values = std::move(values)] {
    WriteAndPrune(step, values);
  });
}

absl::Status CheckpointStore::Wait() {
  if (writer_.joinable()) writer_.join();
  absl::MutexLock lock(&mutex_);
  return last_status_;
}

void CheckpointStore::WriteAndPrune(int64_t step, const StateValues& values) {
  const std::string folder = FolderOf(step);
  absl::Status status = MakeDirectories(folder_);
  if (status.ok() && !FileExists(folder)) {
    status = WriteCheckpoint(folder, step, layout_, values);
  }
  if (status.ok()) {
    Prune();
  } else {
    LogWarning(absl::StrCat(
        "the checkpoint of step ", step, " was NOT saved: ", status.message(),
        "; training continues, older checkpoints are kept"));
  }
  absl::MutexLock lock(&mutex_);
  busy_ = false;
  last_status_ = status;
  if (status.ok()) last_good_step_ = step;
}

void CheckpointStore::Prune() {
  absl::StatusOr<std::vector<int64_t>> steps = Steps();
  if (!steps.ok()) return;
  int kept = 0;
  for (auto step = steps->rbegin(); step != steps->rend(); ++step) {
    if (++kept <= policy_.keep_last) continue;
    if (policy_.keep_every > 0 && *step % policy_.keep_every == 0) continue;
    // Renamed first: what is half deleted must not look like a damaged one.
    const std::string folder = FolderOf(*step);
    const std::string doomed =
        JoinPath(folder_, absl::StrCat(kUnfinishedPrefix, "old-", *step));
    std::error_code error;
    std::filesystem::rename(folder, doomed, error);
    if (!error) std::filesystem::remove_all(doomed, error);
  }
}

}  // namespace xla_byol
