#include "xla_byol/distributed/folder_group.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "xla_byol/base/crc32c.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/distributed/sockets.h"

namespace xla_byol::distributed {
namespace {

constexpr absl::Duration kPause = absl::Milliseconds(10);

// Another one for each start of each process.
std::string NewName() {
  std::random_device random;
  return absl::StrCat(HostName(), "/", getpid(), "/", absl::Hex(random()),
                      absl::Hex(random()));
}

// A file's content, or nothing.
std::string Content(const std::string& path) {
  return ReadFile(path).value_or("");
}

// Holds a rank until the process ends; the kernel takes it back from the dead.
class RankLock {
 public:
  static absl::StatusOr<RankLock> Take(const std::string& path, int rank) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--rendezvous: ", ErrnoToStatus(errno, path).message()));
    }
    RankLock lock(file);
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
      return absl::AlreadyExistsError(
          absl::StrCat("--process=", rank, ": another process (", Content(path),
                       ") has this rank; each needs one of its own"));
    }
    const std::string who = absl::StrCat(getpid(), " on ", HostName());
    if (ftruncate(file, 0) != 0 || write(file, who.data(), who.size()) !=
                                       static_cast<ssize_t>(who.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("--rendezvous: ", ErrnoToStatus(errno, path).message()));
    }
    return lock;
  }

  RankLock(RankLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  RankLock(const RankLock&) = delete;
  RankLock& operator=(const RankLock&) = delete;
  ~RankLock() {
    if (file_ >= 0) close(file_);
  }

 private:
  explicit RankLock(int file) : file_(file) {}
  int file_;
};

class FolderGroup : public ProcessGroup {
 public:
  FolderGroup(RankLock lock, std::string folder, std::string values, int rank,
              int size)
      : ProcessGroup(rank, size),
        lock_(std::move(lock)),
        folder_(std::move(folder)),
        values_(std::move(values)) {}

  std::string description() const override {
    return absl::StrCat("the folder ", folder_);
  }

  absl::Status Put(absl::string_view key, absl::string_view value) override {
    // Under a name of its own first: nobody reads half a value, and link,
    // unlike rename, leaves what is there.
    const std::string path = PathOf(rank(), key);
    const std::string draft =
        absl::StrCat(path, ".", absl::Hex(std::random_device()()));
    RETURN_IF_ERROR(WriteFileAtomically(draft, value));
    const int linked = link(draft.c_str(), path.c_str());
    const int error = errno;
    unlink(draft.c_str());
    if (linked == 0) return absl::OkStatus();
    if (error == EEXIST) {
      return absl::AlreadyExistsError(
          absl::StrCat("this process has put '", key, "' before"));
    }
    return ErrnoToStatus(error, path);
  }

  absl::StatusOr<std::string> TryGet(int writer,
                                     absl::string_view key) override {
    const std::string path = PathOf(writer, key);
    if (!FileExists(path)) {
      // A folder that is gone would be waited for in vain.
      if (!FileExists(values_)) {
        return absl::UnavailableError(
            absl::StrCat("the rendezvous folder ", folder_, " is gone"));
      }
      return absl::NotFoundError(absl::StrCat("no '", key, "'"));
    }
    return ReadFile(path);
  }

 private:
  std::string PathOf(int writer, absl::string_view key) const {
    // Keys of plugins hold slashes and may be long.
    return JoinPath(values_,
                    absl::StrCat(writer, "-", absl::Hex(Crc32c(key)), "-",
                                 absl::WebSafeBase64Escape(key.substr(0, 60))));
  }

  const RankLock lock_;
  const std::string folder_;
  const std::string values_;
};

// The files of one folder by which processes meet.
class Meeting {
 public:
  Meeting(std::string folder, int rank, int size)
      : folder_(std::move(folder)), rank_(rank), size_(size) {}

  absl::Status Announce() {
    return WriteFileAtomically(MemberPath(rank_), name_);
  }

  // One look by process 0; true once all have confirmed.
  absl::StatusOr<bool> Lead() {
    std::vector<std::string> names;
    for (int i = 0; i < size_; ++i) names.push_back(Content(MemberPath(i)));
    const std::string list = absl::StrJoin(names, "\n");
    if (list != list_) {
      list_ = list;
      RETURN_IF_ERROR(MakeDirectories(ValuesPath(list)));
      RETURN_IF_ERROR(WriteFileAtomically(ListPath(), list));
    }
    missing_.clear();
    for (int i = 1; i < size_; ++i) {
      if (Content(ConfirmedPath(i)) != list) missing_.push_back(i);
    }
    if (!missing_.empty()) return false;
    RemoveOldValues();
    RETURN_IF_ERROR(WriteFileAtomically(StartPath(), list));
    return true;
  }

  // One look by another process; true once process 0 says so.
  absl::StatusOr<bool> Follow() {
    const std::string list = Content(ListPath());
    const std::vector<std::string> names = absl::StrSplit(list, '\n');
    missing_ = {0};
    if (static_cast<int>(names.size()) != size_ ||
        names[static_cast<size_t>(rank_)] != name_) {
      return false;
    }
    if (list != list_) {
      list_ = list;
      RETURN_IF_ERROR(WriteFileAtomically(ConfirmedPath(rank_), list));
    }
    if (Content(StartPath()) == list) return true;
    missing_.clear();  // others are, but only process 0 knows which
    return false;
  }

  // Who did not come.
  std::string Missing() const {
    return missing_.empty()
               ? "another process than this and process 0"
               : absl::StrCat("process ", absl::StrJoin(missing_, ", "));
  }
  std::string values() const { return ValuesPath(list_); }

 private:
  std::string MemberPath(int rank) const {
    return JoinPath(folder_, absl::StrCat("member-", rank));
  }
  std::string ConfirmedPath(int rank) const {
    return JoinPath(folder_, absl::StrCat("confirmed-", rank));
  }
  std::string ListPath() const { return JoinPath(folder_, "members"); }
  std::string StartPath() const { return JoinPath(folder_, "start"); }
  std::string ValuesPath(const std::string& list) const {
    return JoinPath(folder_, absl::StrCat("values-", absl::Hex(Crc32c(list))));
  }
  void RemoveOldValues() const {
    const auto names = ListDirectory(folder_);
    if (!names.ok()) return;
    for (const std::string& name : *names) {
      const std::string path = JoinPath(folder_, name);
      if (name.starts_with("values-") && path != values()) {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
      }
    }
  }

  const std::string folder_;
  const int rank_;
  const int size_;
  const std::string name_ = NewName();
  std::string list_;
  std::vector<int> missing_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ProcessGroup>> JoinFolder(
    const std::string& folder, int rank, int size, absl::Duration timeout) {
  if (size < 1 || rank < 0 || rank >= size) {
    return absl::InvalidArgumentError(
        absl::StrCat("--process=", rank, ": it must be 0 to ", size - 1,
                     " as --processes=", size));
  }
  if (const absl::Status made = MakeDirectories(folder); !made.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--rendezvous: ", made.message()));
  }
  ASSIGN_OR_RETURN(
      RankLock lock,
      RankLock::Take(JoinPath(folder, absl::StrCat("lock-", rank)), rank));
  Meeting meeting(folder, rank, size);
  RETURN_IF_ERROR(meeting.Announce());
  const absl::Time deadline = absl::Now() + timeout;
  while (true) {
    ASSIGN_OR_RETURN(const bool complete,
                     rank == 0 ? meeting.Lead() : meeting.Follow());
    if (complete) break;
    if (absl::Now() > deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat(meeting.Missing(), " of ", size, " did not come to ",
                       folder, " within ", absl::FormatDuration(timeout)));
    }
    absl::SleepFor(kPause);
  }
  return std::make_unique<FolderGroup>(std::move(lock), folder,
                                       meeting.values(), rank, size);
}

}  // namespace xla_byol::distributed
