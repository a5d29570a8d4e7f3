#include "xla_byol/base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol {
namespace {

// A file descriptor that closes itself; closing on the success path is done
// by hand, since close() may report a failed write.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  int Close() { return close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

std::string ParentDirectory(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

absl::Status WriteSyncClose(Descriptor& file,
                            absl::Span<const absl::string_view> parts,
                            const std::string& path) {
  const auto error = [&path](const char* what) {
    return ErrnoToStatus(errno, absl::StrCat("cannot ", what, " '", path, "'"));
  };
  for (absl::string_view content : parts) {
    while (!content.empty()) {
      const ssize_t written = write(file.get(), content.data(), content.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        return error("write");
      }
      content.remove_prefix(static_cast<size_t>(written));
    }
  }
  if (fsync(file.get()) != 0) return error("sync");
  if (file.Close() != 0) return error("write");
  return absl::OkStatus();
}

}  // namespace

absl::Status ErrnoToStatus(int error, absl::string_view what) {
  const std::string message = absl::StrCat(what, ": ", std::strerror(error));
  switch (error) {
    case ENOENT:
      return absl::NotFoundError(message);
    case EEXIST:
      return absl::AlreadyExistsError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return absl::ResourceExhaustedError(message);
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
      return absl::FailedPreconditionError(message);
    default:
      return absl::UnavailableError(message);
  }
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const auto error = [&path] {
    return ErrnoToStatus(errno, absl::StrCat("cannot read '", path, "'"));
  };
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return error();
  struct stat info;
  if (fstat(file.get(), &info) != 0) return error();
  if (!S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot read '", path, "': not a regular file"));
  }
  std::string content(static_cast<size_t>(info.st_size), '\0');
  size_t size = 0;
  for (;;) {
    // One byte more than expected shows whether the file grew meanwhile.
    if (size == content.size()) content.resize(size + 1);
    const ssize_t got = read(file.get(), &content[size], content.size() - size);
    if (got < 0) {
      if (errno == EINTR) continue;
      return error();
    }
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  content.resize(size);
  return content;
}

absl::Status WriteFileAtomically(const std::string& path,
                                 absl::string_view content) {
  std::string temporary = absl::StrCat(path, ".tmp-XXXXXX");
  Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) {
    return ErrnoToStatus(errno, absl::StrCat("cannot create '", path, "'"));
  }
  absl::Cleanup remove = [&temporary] { unlink(temporary.c_str()); };
  // mkostemp makes files for their owner alone; ours are for everyone the
  // umask allows.
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(file.get(), 0666 & ~mask);
  RETURN_IF_ERROR(WriteSyncClose(file, {content}, path));
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    return ErrnoToStatus(errno, absl::StrCat("cannot replace '", path, "'"));
  }
  std::move(remove).Cancel();
  return SyncDirectory(ParentDirectory(path));
}

absl::Status WriteFileDurably(const std::string& path,
                              absl::Span<const absl::string_view> parts) {
  Descriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) {
    return ErrnoToStatus(errno, absl::StrCat("cannot create '", path, "'"));
  }
  return WriteSyncClose(file, parts, path);
}

absl::Status MakeDirectories(const std::string& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), 0777) != 0 && errno != EEXIST) {
      return ErrnoToStatus(errno,
                           absl::StrCat("cannot make folder '", part, "'"));
    }
    if (end == std::string::npos) break;
  }
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot make folder '", path, "': a file has that name"));
  }
  return absl::OkStatus();
}

absl::Status SyncDirectory(const std::string& path) {
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some network file systems cannot sync a folder and say EINVAL.
  if (folder.get() < 0 || (fsync(folder.get()) != 0 && errno != EINVAL)) {
    return ErrnoToStatus(errno,
                         absl::StrCat("cannot sync folder '", path, "'"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ListDirectory(
    const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()),
                                                   closedir);
  if (folder == nullptr) {
    return ErrnoToStatus(errno, absl::StrCat("cannot list '", path, "'"));
  }
  std::vector<std::string> names;
  while (const dirent* entry = readdir(folder.get())) {
    const absl::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool FileExists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

std::string JoinPath(absl::string_view folder, absl::string_view name) {
  if (folder.empty() || (!name.empty() && name[0] == '/')) {
    return std::string(name);
  }
  return absl::StrCat(folder, folder.back() == '/' ? "" : "/", name);
}

std::string ResolveUserPath(absl::string_view path) {
  const char* home = std::getenv("HOME");
  if (home != nullptr && (path == "~" || absl::StartsWith(path, "~/"))) {
    return absl::StrCat(home, path.substr(1));
  }
  const char* directory = std::getenv("BUILD_WORKING_DIRECTORY");
  return directory == nullptr ? std::string(path) : JoinPath(directory, path);
}

std::string CacheDirectory() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') return JoinPath(cache, "xla_byol");
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0')
    return JoinPath(home, ".cache/xla_byol");
  const char* temporary = std::getenv("TMPDIR");
  return JoinPath(temporary == nullptr ? "/tmp" : temporary,
                  absl::StrCat("xla_byol-", getuid()));
}

}  // namespace xla_byol
