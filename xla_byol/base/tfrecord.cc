#include "xla_byol/base/tfrecord.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/bytes.h"
#include "xla_byol/base/crc32c.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol {

absl::StatusOr<uint64_t> ParseRecordHeader(absl::string_view header) {
  if (header.size() < kRecordHeaderBytes) {
    return absl::DataLossError(absl::StrCat("record header of ", header.size(),
                                            " bytes, not ",
                                            kRecordHeaderBytes));
  }
  const uint32_t expected = MaskCrc32c(Crc32c(header.substr(0, 8)));
  if (LoadLittleEndian<uint32_t>(header.data() + 8) != expected) {
    return absl::DataLossError("wrong checksum of the record's length");
  }
  return LoadLittleEndian<uint64_t>(header.data());
}

absl::StatusOr<absl::string_view> ParseRecord(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const uint64_t length, ParseRecordHeader(bytes));
  const uint64_t frame = kRecordHeaderBytes + kRecordFooterBytes;
  if (bytes.size() < frame || length != bytes.size() - frame) {
    return absl::DataLossError(absl::StrCat(
        "record of ", length, " bytes in a frame of ", bytes.size()));
  }
  const absl::string_view data = bytes.substr(kRecordHeaderBytes, length);
  if (LoadLittleEndian<uint32_t>(data.data() + length) !=
      MaskCrc32c(Crc32c(data))) {
    return absl::DataLossError("wrong checksum of the record's data");
  }
  return data;
}

std::string FrameRecord(absl::string_view data) {
  std::string bytes;
  bytes.reserve(data.size() + kRecordHeaderBytes + kRecordFooterBytes);
  AppendLittleEndian(uint64_t{data.size()}, bytes);
  AppendLittleEndian(MaskCrc32c(Crc32c(bytes)), bytes);
  absl::StrAppend(&bytes, data);
  AppendLittleEndian(MaskCrc32c(Crc32c(data)), bytes);
  return bytes;
}

absl::StatusOr<RandomAccessFile> RandomAccessFile::Open(
    const std::string& path) {
  RandomAccessFile file;
  file.path_ = path;
  file.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file.descriptor_ < 0 || ::fstat(file.descriptor_, &status) != 0) {
    return ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  }
  if (!S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is not a file"));
  }
  file.size_ = static_cast<uint64_t>(status.st_size);
  file.modified_ns_ =
      status.st_mtim.tv_sec * int64_t{1000000000} + status.st_mtim.tv_nsec;
  return file;
}

RandomAccessFile::RandomAccessFile(RandomAccessFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      modified_ns_(other.modified_ns_) {}

RandomAccessFile& RandomAccessFile::operator=(
    RandomAccessFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  size_ = other.size_;
  modified_ns_ = other.modified_ns_;
  return *this;
}

RandomAccessFile::~RandomAccessFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

absl::Status RandomAccessFile::Read(uint64_t offset, size_t count,
                                    char* out) const {
  while (count > 0) {
    const ssize_t got =
        ::pread(descriptor_, out, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return ErrnoToStatus(errno, absl::StrCat("cannot read ", path_));
    }
    if (got == 0) {
      return absl::DataLossError(absl::StrCat(path_, " ends at byte ", offset,
                                              ", ", count, " bytes too early"));
    }
    offset += static_cast<uint64_t>(got);
    out += got;
    count -= static_cast<size_t>(got);
  }
  return absl::OkStatus();
}

}  // namespace xla_byol
