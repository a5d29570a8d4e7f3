#include "xla_byol/collectives/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::collectives {
namespace {

absl::Status Failed(absl::string_view what) {
  return absl::UnavailableError(
      absl::StrCat("shared memory: ", what, ": ", std::strerror(errno)));
}

uint64_t ReadSecret(const char* base) {
  uint64_t secret;
  std::memcpy(&secret, base, sizeof(secret));
  return secret;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SharedMemory>> SharedMemory::Create(
    size_t bytes) {
  // Not make_unique: the constructor is private.
  auto memory = std::unique_ptr<SharedMemory>(new SharedMemory);
  memory->descriptor_ = memfd_create("xla_byol", MFD_CLOEXEC);
  if (memory->descriptor_ < 0) return Failed("memfd_create");
  const off_t size = static_cast<off_t>(bytes + kHeader);
  // Not ftruncate: what a container has no more memory for would be a SIGBUS
  // in the middle of a step.
  const int error = posix_fallocate(memory->descriptor_, 0, size);
  if (error != 0) {
    errno = error;
    return Failed(absl::StrCat(size, " bytes"));
  }
  RETURN_IF_ERROR(memory->Map(bytes));
  std::random_device random;
  const uint64_t secret = (uint64_t{random()} << 32) | random();
  std::memcpy(memory->base_, &secret, sizeof(secret));
  return memory;
}

absl::StatusOr<std::unique_ptr<SharedMemory>> SharedMemory::Open(
    absl::string_view address, size_t bytes) {
  const std::vector<std::string> parts = absl::StrSplit(address, ' ');
  int process, descriptor;
  uint64_t secret;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[0], &process) ||
      !absl::SimpleAtoi(parts[1], &descriptor) ||
      !absl::SimpleAtoi(parts[2], &secret)) {
    return absl::UnavailableError("shared memory: a process offers none");
  }
  const std::string path = absl::StrCat("/proc/", process, "/fd/", descriptor);
  auto memory = std::unique_ptr<SharedMemory>(new SharedMemory);
  memory->descriptor_ = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (memory->descriptor_ < 0) return Failed(path);
  struct stat info;
  // Where processes have other numbers (in a container) it may be anything.
  if (fstat(memory->descriptor_, &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size != static_cast<off_t>(bytes + kHeader)) {
    return absl::UnavailableError(
        absl::StrCat("shared memory: ", path, " is another file"));
  }
  RETURN_IF_ERROR(memory->Map(bytes));
  if (ReadSecret(memory->base_) != secret) {
    return absl::UnavailableError(
        absl::StrCat("shared memory: ", path, " is another process's"));
  }
  return memory;
}

absl::Status SharedMemory::Map(size_t bytes) {
  void* const base = mmap(nullptr, bytes + kHeader, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_POPULATE, descriptor_, 0);
  if (base == MAP_FAILED) return Failed("mmap");
  base_ = static_cast<char*>(base);
  size_ = bytes + kHeader;
  return absl::OkStatus();
}

SharedMemory::~SharedMemory() {
  if (base_ != nullptr) munmap(base_, size_);
  if (descriptor_ >= 0) close(descriptor_);
}

std::string SharedMemory::address() const {
  return absl::StrCat(getpid(), " ", descriptor_, " ", ReadSecret(base_));
}

}  // namespace xla_byol::collectives
