// TFRecord files: a sequence of records, each
//
//   uint64 length | uint32 masked CRC-32C of the length
//   length bytes  | uint32 masked CRC-32C of the bytes
//
// in little-endian order. Both checksums are always checked.

#ifndef XLA_BYOL_BASE_TFRECORD_H_
#define XLA_BYOL_BASE_TFRECORD_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla_byol {

inline constexpr uint64_t kRecordHeaderBytes = 12;
inline constexpr uint64_t kRecordFooterBytes = 4;

// The length that a header states. DataLoss if it is short or its checksum is
// wrong.
absl::StatusOr<uint64_t> ParseRecordHeader(absl::string_view header);

// The data of the one record that `bytes` holds, header and footer included.
// DataLoss if the length does not fit or a checksum is wrong.
absl::StatusOr<absl::string_view> ParseRecord(absl::string_view bytes);

// The bytes of a record that holds `data`.
std::string FrameRecord(absl::string_view data);

// A file open for reading at any offset. Threads may share one.
class RandomAccessFile {
 public:
  static absl::StatusOr<RandomAccessFile> Open(const std::string& path);
  RandomAccessFile(RandomAccessFile&& other) noexcept;
  RandomAccessFile& operator=(RandomAccessFile&& other) noexcept;
  ~RandomAccessFile();

  // Size and time of last change when the file was opened.
  uint64_t size() const { return size_; }
  int64_t modified_ns() const { return modified_ns_; }
  const std::string& path() const { return path_; }

  // Reads exactly `count` bytes; DataLoss if the file ends before.
  absl::Status Read(uint64_t offset, size_t count, char* out) const;

 private:
  RandomAccessFile() = default;

  std::string path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
  int64_t modified_ns_ = 0;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_BASE_TFRECORD_H_
