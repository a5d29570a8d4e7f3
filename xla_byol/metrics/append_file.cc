#include "xla_byol/metrics/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol {

AppendFile::AppendFile(std::string path, std::string preamble)
    : path_(std::move(path)), preamble_(std::move(preamble)) {}

AppendFile::~AppendFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void AppendFile::Append(std::string chunk) {
  waiting_bytes_ += chunk.size();
  waiting_.push_back(std::move(chunk));
  WriteWaiting();
  while (waiting_bytes_ > kMaxWaitingBytes) {
    waiting_bytes_ -= waiting_.front().size();
    waiting_.pop_front();
    ++lost_chunks_;
  }
}

void AppendFile::Sync() {
  WriteWaiting();
  if (descriptor_ >= 0) fsync(descriptor_);
}

void AppendFile::WriteWaiting() {
  const absl::Status status = TryWriteWaiting();
  if (status.ok()) {
    if (warnings_.empty()) return;
    warnings_.clear();
    LogInfo(absl::StrCat("'", path_, "' is written again",
                         lost_chunks_ == 0
                             ? std::string("; nothing was lost")
                             : absl::StrCat("; ", lost_chunks_,
                                            " records that waited are lost")));
    return;
  }
  const std::string message(status.message());
  if (!warnings_.insert(message).second) return;
  LogWarning(absl::StrCat(message,
                          "; training continues, and records wait in memory "
                          "until it can be written"));
}

absl::Status AppendFile::TryWriteWaiting() {
  RETURN_IF_ERROR(OpenAtPath());
  RETURN_IF_ERROR(CutTorn());
  if (size_ == 0 && !preamble_.empty()) RETURN_IF_ERROR(WriteChunk(preamble_));
  while (!waiting_.empty()) {
    RETURN_IF_ERROR(WriteChunk(waiting_.front()));
    waiting_bytes_ -= waiting_.front().size();
    waiting_.pop_front();
  }
  return absl::OkStatus();
}

absl::Status AppendFile::OpenAtPath() {
  struct stat open_file, named_file;
  if (descriptor_ >= 0) {
    if (fstat(descriptor_, &open_file) == 0 &&
        stat(path_.c_str(), &named_file) == 0 &&
        open_file.st_ino == named_file.st_ino &&
        open_file.st_dev == named_file.st_dev) {
      return absl::OkStatus();
    }
    LogWarning(absl::StrCat("'", path_,
                            "' was removed during the run; it is created again "
                            "without its earlier records"));
    close(std::exchange(descriptor_, -1));
    torn_ = false;
  }
  descriptor_ =
      open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return Error("cannot open");
  if (fstat(descriptor_, &open_file) != 0) return Error("cannot examine");
  size_ = open_file.st_size;
  return absl::OkStatus();
}

absl::Status AppendFile::WriteChunk(const std::string& chunk) {
  size_t done = 0;
  while (done < chunk.size()) {
    const ssize_t written =
        write(descriptor_, chunk.data() + done, chunk.size() - done);
    if (written < 0) {
      if (errno == EINTR) continue;
      const absl::Status error = Error("cannot write");
      torn_ = done > 0;
      CutTorn().IgnoreError();
      return error;
    }
    done += static_cast<size_t>(written);
  }
  size_ += static_cast<int64_t>(chunk.size());
  return absl::OkStatus();
}

absl::Status AppendFile::CutTorn() {
  if (!torn_) return absl::OkStatus();
  if (ftruncate(descriptor_, size_) != 0) return Error("cannot cut");
  torn_ = false;
  return absl::OkStatus();
}

absl::Status AppendFile::Error(const char* doing) const {
  return ErrnoToStatus(errno, absl::StrCat(doing, " '", path_, "'"));
}

}  // namespace xla_byol
