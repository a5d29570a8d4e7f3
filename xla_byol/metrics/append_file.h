// A file that grows by whole chunks, and whose troubles never stop a run.

#ifndef XLA_BYOL_METRICS_APPEND_FILE_H_
#define XLA_BYOL_METRICS_APPEND_FILE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>

#include "absl/status/status.h"

namespace xla_byol {

// Each chunk reaches the operating system when Append returns, so that a killed
// process loses nothing. What cannot be written (full disk, folder gone) waits
// for the next call: a warning tells of each kind of trouble once, and one line
// that it is over. A file that vanished is made anew. Not thread-safe.
class AppendFile {
 public:
  // Chunks that wait for a disk are held up to this size, then the oldest go.
  static constexpr size_t kMaxWaitingBytes = size_t{64} << 20;

  // Nothing happens before the first call. `preamble` begins the file
  // whenever it is empty.
  explicit AppendFile(std::string path, std::string preamble = "");
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  // After a failure the file ends with a whole chunk, unless cutting fails too;
  // then that comes first in the next call.
  void Append(std::string chunk);

  // Writes what waits, makes the file if there is none yet, and makes all that
  // survive a power cut.
  void Sync();

  const std::string& path() const { return path_; }
  size_t waiting_bytes() const { return waiting_bytes_; }
  // Chunks given up because too many waited.
  int64_t lost_chunks() const { return lost_chunks_; }

 private:
  void WriteWaiting();
  absl::Status TryWriteWaiting();
  // Opens the file unless the open one still has our name.
  absl::Status OpenAtPath();
  absl::Status WriteChunk(const std::string& chunk);
  absl::Status CutTorn();
  absl::Status Error(const char* doing) const;

  const std::string path_;
  const std::string preamble_;
  int descriptor_ = -1;
  int64_t size_ = 0;  // of the whole chunks
  bool torn_ = false;
  std::deque<std::string> waiting_;
  size_t waiting_bytes_ = 0;
  int64_t lost_chunks_ = 0;
  std::set<std::string> warnings_;  // since the file was last in order
};

}  // namespace xla_byol

#endif  // XLA_BYOL_METRICS_APPEND_FILE_H_
