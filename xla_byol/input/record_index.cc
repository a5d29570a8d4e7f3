#include "xla_byol/input/record_index.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/bytes.h"
#include "xla_byol/base/crc32c.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/base/thread_pool.h"

namespace xla_byol::input {
namespace {

constexpr absl::string_view kMagic = "XBYOLIX1";

// Short records are read many at a time; of long ones only the header.
constexpr size_t kReadBytes = 64 << 10;
constexpr uint64_t kLongRecord = 16 << 10;

std::string BaseName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

bool Describes(const std::vector<ShardIndex>& index,
               const std::vector<RandomAccessFile>& shards) {
  if (index.size() != shards.size()) return false;
  for (size_t i = 0; i < shards.size(); ++i) {
    if (index[i].name != BaseName(shards[i].path()) ||
        index[i].file_bytes != shards[i].size() ||
        index[i].modified_ns != shards[i].modified_ns()) {
      return false;
    }
  }
  return true;
}

// Takes parts off the front of a byte string that passed its checksum but
// still may lie.
class Cursor {
 public:
  explicit Cursor(absl::string_view bytes) : left_(bytes) {}

  template <typename T>
  bool Take(T& value) {
    if (left_.size() < sizeof(T)) return false;
    value = LoadLittleEndian<T>(left_.data());
    left_.remove_prefix(sizeof(T));
    return true;
  }

  bool TakeString(std::string& value) {
    uint32_t size = 0;
    if (!Take(size) || left_.size() < size) return false;
    value = std::string(left_.substr(0, size));
    left_.remove_prefix(size);
    return true;
  }

  bool TakeOffsets(std::vector<uint64_t>& offsets) {
    uint64_t count = 0;
    if (!Take(count) || count == 0 || count > left_.size() / 8) return false;
    offsets.resize(count);
    std::memcpy(offsets.data(), left_.data(), count * 8);
    left_.remove_prefix(count * 8);
    return std::is_sorted(offsets.begin(), offsets.end());
  }

  bool empty() const { return left_.empty(); }

 private:
  absl::string_view left_;
};

}  // namespace

absl::StatusOr<ShardIndex> IndexShard(const RandomAccessFile& file) {
  ShardIndex index;
  index.name = BaseName(file.path());
  index.file_bytes = file.size();
  index.modified_ns = file.modified_ns();
  std::string buffer;
  uint64_t buffer_begin = 0;
  uint64_t last_length = 0;
  uint64_t offset = 0;
  while (offset < file.size()) {
    if (file.size() - offset < kRecordHeaderBytes) {
      index.broken =
          absl::StrCat("the file ends within the header at byte ", offset);
      return index;
    }
    if (offset < buffer_begin ||
        offset + kRecordHeaderBytes > buffer_begin + buffer.size()) {
      const uint64_t wanted =
          last_length > kLongRecord ? kRecordHeaderBytes : kReadBytes;
      buffer.resize(std::min<uint64_t>(wanted, file.size() - offset));
      RETURN_IF_ERROR(file.Read(offset, buffer.size(), buffer.data()));
      buffer_begin = offset;
    }
    const auto length = ParseRecordHeader(
        absl::string_view(buffer).substr(offset - buffer_begin));
    if (!length.ok()) {
      index.broken =
          absl::StrCat(length.status().message(), " at byte ", offset);
      return index;
    }
    const uint64_t room = file.size() - offset - kRecordHeaderBytes;
    if (room < kRecordFooterBytes || *length > room - kRecordFooterBytes) {
      index.broken =
          absl::StrCat("the file ends within the record at byte ", offset);
      return index;
    }
    offset += kRecordHeaderBytes + *length + kRecordFooterBytes;
    last_length = *length;
    index.offsets.push_back(offset);
  }
  return index;
}

std::string SerializeIndex(const std::vector<ShardIndex>& shards) {
  std::string bytes(kMagic);
  AppendLittleEndian(static_cast<uint32_t>(shards.size()), bytes);
  for (const ShardIndex& shard : shards) {
    AppendLittleEndian(static_cast<uint32_t>(shard.name.size()), bytes);
    bytes += shard.name;
    AppendLittleEndian(shard.file_bytes, bytes);
    AppendLittleEndian(shard.modified_ns, bytes);
    AppendLittleEndian(static_cast<uint32_t>(shard.broken.size()), bytes);
    bytes += shard.broken;
    AppendLittleEndian(uint64_t{shard.offsets.size()}, bytes);
    bytes.append(reinterpret_cast<const char*>(shard.offsets.data()),
                 shard.offsets.size() * 8);
  }
  AppendLittleEndian(Crc32c(bytes), bytes);
  return bytes;
}

absl::StatusOr<std::vector<ShardIndex>> ParseIndex(absl::string_view bytes) {
  if (bytes.size() < kMagic.size() + 8 || !absl::StartsWith(bytes, kMagic)) {
    return absl::DataLossError("not an index of records");
  }
  const absl::string_view content = bytes.substr(0, bytes.size() - 4);
  if (LoadLittleEndian<uint32_t>(bytes.data() + content.size()) !=
      Crc32c(content)) {
    return absl::DataLossError("wrong checksum of the index of records");
  }
  Cursor cursor(content.substr(kMagic.size()));
  uint32_t count = 0;
  bool ok = cursor.Take(count);
  std::vector<ShardIndex> shards;
  for (uint32_t i = 0; ok && i < count; ++i) {
    ShardIndex& shard = shards.emplace_back();
    ok = cursor.TakeString(shard.name) && cursor.Take(shard.file_bytes) &&
         cursor.Take(shard.modified_ns) && cursor.TakeString(shard.broken) &&
         cursor.TakeOffsets(shard.offsets) &&
         shard.offsets.back() <= shard.file_bytes;
  }
  if (!ok || !cursor.empty()) {
    return absl::DataLossError("malformed index of records");
  }
  return shards;
}

absl::StatusOr<std::vector<ShardIndex>> LoadOrBuildIndex(
    const std::vector<RandomAccessFile>& shards,
    const std::vector<std::string>& index_paths, int threads,
    const IndexProgress& progress) {
  for (const std::string& path : index_paths) {
    const auto bytes = ReadFile(path);
    if (!bytes.ok()) continue;
    auto index = ParseIndex(*bytes);
    if (index.ok() && Describes(*index, shards)) return index;
  }
  std::vector<absl::StatusOr<ShardIndex>> built(shards.size(), ShardIndex());
  ThreadPool pool(threads);
  std::atomic<int64_t> done{0};
  ParallelFor(pool, shards.size(), [&](size_t i) {
    built[i] = IndexShard(shards[i]);
    const int64_t now = ++done;
    if (progress) progress(now, std::ssize(shards));
  });
  std::vector<ShardIndex> index;
  for (auto& shard : built) {
    if (!shard.ok()) return shard.status();
    index.push_back(*std::move(shard));
  }
  const std::string bytes = SerializeIndex(index);
  absl::Status saved = absl::OkStatus();
  for (const std::string& path : index_paths) {
    saved = MakeDirectories(std::filesystem::path(path).parent_path().string());
    if (saved.ok()) saved = WriteFileAtomically(path, bytes);
    if (saved.ok()) break;
  }
  if (!saved.ok()) {
    LogInfo(absl::StrCat("the index of records could not be saved (",
                         saved.message(), "); it is built at every start"));
  }
  return index;
}

}  // namespace xla_byol::input
