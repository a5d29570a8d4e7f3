// Where each record of a TFRecord shard begins. The files do not say, so they
// are walked once, header by header, and the result is kept in a file.

#ifndef XLA_BYOL_INPUT_RECORD_INDEX_H_
#define XLA_BYOL_INPUT_RECORD_INDEX_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/base/tfrecord.h"

namespace xla_byol::input {

// How many of how many shards are done; called by several threads.
using IndexProgress = std::function<void(int64_t, int64_t)>;

struct ShardIndex {
  std::string name;  // Without folder.
  // What the file was when it was indexed; if either changes, so may the rest.
  uint64_t file_bytes = 0;
  int64_t modified_ns = 0;
  // Beginning of each record, and the end of the last.
  std::vector<uint64_t> offsets = {0};
  // Why the walk ended before the end of the file: records after a broken
  // length cannot be found. Empty if it did not.
  std::string broken;

  int64_t records() const { return static_cast<int64_t>(offsets.size()) - 1; }

  friend bool operator==(const ShardIndex&, const ShardIndex&) = default;
};

// Walks the file. Broken content is not an error but `broken`.
absl::StatusOr<ShardIndex> IndexShard(const RandomAccessFile& file);

// The index file's bytes; docs/input.md has the layout. Parse refuses anything
// whose checksum or structure is wrong.
std::string SerializeIndex(const std::vector<ShardIndex>& shards);
absl::StatusOr<std::vector<ShardIndex>> ParseIndex(absl::string_view bytes);

// The index of all shards, from the first of `index_paths` that holds it for
// these very files (names, sizes, times), or built by `threads` threads and
// then saved to the first of them that can be written. A place that cannot be
// written is no error: a notice is logged, and the next start builds again.
// `progress` is called while it is built.
absl::StatusOr<std::vector<ShardIndex>> LoadOrBuildIndex(
    const std::vector<RandomAccessFile>& shards,
    const std::vector<std::string>& index_paths, int threads,
    const IndexProgress& progress = {});

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_RECORD_INDEX_H_
