#include "xla_byol/pjrt/executable_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/crc32c.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::pjrt {
namespace {

constexpr absl::string_view kMagic = "XBYOLEX1";
constexpr size_t kHeaderSize = 8 + 2 * sizeof(uint64_t);
constexpr size_t kCrcSize = sizeof(uint32_t);

template <typename Number>
void AppendNumber(Number number, std::string* out) {
  for (size_t i = 0; i < sizeof(number); ++i) {
    out->push_back(static_cast<char>(number >> (8 * i)));
  }
}

template <typename Number>
Number ReadNumber(absl::string_view bytes) {
  Number number = 0;
  for (size_t i = 0; i < sizeof(number); ++i) {
    number |= Number{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return number;
}

// FNV-1a: stable between processes, which absl::Hash is not.
uint64_t StableHash(absl::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

// The CPU plugin compiles for the instructions and cores it finds.
std::string CpuIdentity() {
  std::string identity =
      absl::StrCat(std::thread::hardware_concurrency(), " cores ");
  if (const char* threads = std::getenv("PJRT_NPROC")) {
    absl::StrAppend(&identity, threads, " threads ");
  }
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    if (absl::StartsWith(line, "model name") ||
        absl::StartsWith(line, "flags")) {
      absl::StrAppend(&identity, line, ";");
    }
  }
  return identity;
}

absl::StatusOr<std::string> MakeKey(const Client& client,
                                    absl::string_view program,
                                    const CompileOptions& options) {
  ASSIGN_OR_RETURN(const std::string serialized,
                   options.Serialize(client.plugin().platform()));
  const char* xla_flags = std::getenv("XLA_FLAGS");
  std::string key;
  // Sizes in front, so that no two lists of parts give the same key.
  for (const absl::string_view part :
       {absl::string_view(client.plugin().fingerprint()),
        absl::string_view(client.platform_version()),
        absl::string_view(serialized),
        absl::string_view(xla_flags == nullptr ? "" : xla_flags), program}) {
    AppendNumber(uint64_t{part.size()}, &key);
    key.append(part.data(), part.size());
  }
  for (const Device& device : client.devices()) {
    absl::StrAppend(&key, device.description().id, " ",
                    device.description().kind, ";");
  }
  absl::StrAppend(&key, CpuIdentity());
  return key;
}

std::string Pack(const std::string& key, const std::string& payload) {
  std::string entry(kMagic.data(), kMagic.size());
  AppendNumber(uint64_t{key.size()}, &entry);
  AppendNumber(uint64_t{payload.size()}, &entry);
  absl::StrAppend(&entry, key, payload);
  AppendNumber(Crc32c(entry), &entry);
  return entry;
}

// The payload inside `entry`, if it is whole and belongs to `key`.
absl::StatusOr<absl::string_view> Unpack(const std::string& file,
                                         const std::string& key) {
  const absl::string_view entry = file;
  if (entry.size() < kHeaderSize + kCrcSize ||
      !absl::StartsWith(entry, kMagic)) {
    return absl::DataLossError("is not a cache entry of this version");
  }
  const absl::string_view body = entry.substr(0, entry.size() - kCrcSize);
  if (Crc32c(body) != ReadNumber<uint32_t>(entry.substr(body.size()))) {
    return absl::DataLossError("is damaged (its CRC-32C does not fit)");
  }
  const uint64_t key_size = ReadNumber<uint64_t>(body.substr(kMagic.size()));
  if (key_size != key.size() || body.substr(kHeaderSize, key_size) != key) {
    return absl::DataLossError(
        "was written for another program, plugin or machine");
  }
  return body.substr(kHeaderSize + key_size);
}

absl::StatusOr<LoadedExecutable> LoadEntry(const Client& client,
                                           const std::string& path,
                                           const std::string& key) {
  // Not ASSIGN_OR_RETURN: g++ 12 takes the moved string for uninitialized.
  const absl::StatusOr<std::string> entry = ReadFile(path);
  if (!entry.ok()) return entry.status();
  ASSIGN_OR_RETURN(const absl::string_view payload, Unpack(*entry, key));
  return client.Deserialize(payload);
}

absl::Status StoreEntry(const Executable& executable,
                        const std::string& directory, const std::string& path,
                        const std::string& key) {
  ASSIGN_OR_RETURN(const std::string payload, executable.Serialize());
  RETURN_IF_ERROR(MakeDirectories(directory));
  return WriteFileAtomically(path, Pack(key, payload));
}

std::string EntryPath(const std::string& directory, const std::string& key) {
  return JoinPath(directory,
                  absl::StrCat(absl::Hex(StableHash(key), absl::kZeroPad16),
                               ".executable"));
}

// Held by who compiles an entry: processes that start together on one machine
// need one compilation, not one each. What cannot be locked is compiled twice.
class EntryLock {
 public:
  explicit EntryLock(const std::string& entry) : path_(entry + ".lock") {
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (file_ >= 0 && flock(file_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  EntryLock(const EntryLock&) = delete;
  EntryLock& operator=(const EntryLock&) = delete;
  ~EntryLock() {
    if (file_ < 0) return;
    // Those who wait have it open, and find the entry.
    std::remove(path_.c_str());
    close(file_);
  }

 private:
  const std::string path_;
  int file_ = -1;
};

}  // namespace

absl::StatusOr<std::string> ExecutableCache::PathOf(
    const Client& client, absl::string_view program,
    const CompileOptions& options) const {
  ASSIGN_OR_RETURN(const std::string key, MakeKey(client, program, options));
  return EntryPath(directory_, key);
}

absl::StatusOr<ExecutableCache::Result> ExecutableCache::Compile(
    const Client& client, absl::string_view program,
    const CompileOptions& options) const {
  if (directory_.empty()) {
    ASSIGN_OR_RETURN(LoadedExecutable compiled,
                     client.Compile(program, options));
    return Result{std::move(compiled), false, ""};
  }
  ASSIGN_OR_RETURN(const std::string key, MakeKey(client, program, options));
  const std::string path = EntryPath(directory_, key);
  std::string note;
  std::optional<EntryLock> lock;
  if (!FileExists(path) && MakeDirectories(directory_).ok()) lock.emplace(path);
  if (FileExists(path)) {
    absl::StatusOr<LoadedExecutable> loaded = LoadEntry(client, path, key);
    if (loaded.ok()) return Result{*std::move(loaded), true, ""};
    note =
        absl::StrCat("compiled again: ", path, " ", loaded.status().message());
    std::remove(path.c_str());
  }
  ASSIGN_OR_RETURN(LoadedExecutable compiled, client.Compile(program, options));
  const absl::Status stored =
      StoreEntry(compiled.executable(), directory_, path, key);
  if (!stored.ok()) {
    absl::StrAppend(&note, note.empty() ? "" : "; ",
                    "not kept for the next start: ", stored.message());
  }
  return Result{std::move(compiled), false, std::move(note)};
}

}  // namespace xla_byol::pjrt
