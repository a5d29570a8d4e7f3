#include "xla_byol/inspect/compiled_cache.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/crc32c.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/inspect/compiled_step.pb.h"
#include "xla_byol/runtime/executable_file.h"

namespace xla_byol {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".compiled";

std::optional<double> CostOf(const pjrt::NamedValues& costs,
                             const std::string& name) {
  const auto found = costs.find(name);
  if (found == costs.end()) return std::nullopt;
  const float* value = std::get_if<float>(&found->second);
  return value == nullptr ? std::nullopt : std::optional<double>(*value);
}

std::string PathOf(const std::string& directory, const std::string& key) {
  // Two halves with a CRC each: 64 bits, of which the file's own key is proof.
  const absl::string_view all = key;
  const auto half = [](absl::string_view part) {
    return absl::StrCat(absl::Hex(Crc32c(part), absl::kZeroPad8));
  };
  return JoinPath(directory,
                  absl::StrCat(half(all.substr(0, all.size() / 2)),
                               half(all.substr(all.size() / 2)), kExtension));
}

// Removes entries but `newest` until no more than `max_bytes` are left. What
// another process removes meanwhile is gone as well; what cannot be removed
// stays.
void RemoveOldest(const std::string& directory, int64_t max_bytes,
                  const fs::path& newest) {
  struct Entry {
    fs::file_time_type used;
    int64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  int64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() != kExtension) continue;
    std::error_code gone;
    const auto used = it->last_write_time(gone);
    const auto bytes = gone ? 0 : it->file_size(gone);
    if (gone) continue;
    total += static_cast<int64_t>(bytes);
    if (it->path() == newest) continue;
    entries.push_back({used, static_cast<int64_t>(bytes), it->path()});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes) break;
    if (fs::remove(entry.path, error)) total -= entry.bytes;
  }
}

std::string Trailer(absl::string_view bytes) {
  const uint32_t crc = Crc32c(bytes);
  return std::string(reinterpret_cast<const char*>(&crc), sizeof(crc));
}

CompiledStepProto ToProto(const CompiledStep& step) {
  CompiledStepProto proto;
  proto.set_format(step.optimized.format);
  proto.set_code(step.optimized.code);
  proto.set_executable(step.executable);
  proto.set_compile_seconds(step.compile_seconds);
  if (step.memory.has_value()) {
    CompiledStepProto::Memory& memory = *proto.mutable_memory();
    memory.set_argument_bytes(step.memory->argument_bytes);
    memory.set_output_bytes(step.memory->output_bytes);
    memory.set_alias_bytes(step.memory->alias_bytes);
    memory.set_temp_bytes(step.memory->temp_bytes);
    memory.set_code_bytes(step.memory->code_bytes);
    memory.set_peak_bytes(step.memory->peak_bytes);
  }
  if (step.flops.has_value()) proto.set_flops(*step.flops);
  if (step.bytes_accessed.has_value()) {
    proto.set_bytes_accessed(*step.bytes_accessed);
  }
  if (step.optimal_seconds.has_value()) {
    proto.set_optimal_seconds(*step.optimal_seconds);
  }
  return proto;
}

CompiledStep FromProto(CompiledStepProto& proto) {
  CompiledStep step;
  step.optimized = {proto.format(), std::move(*proto.mutable_code())};
  step.executable = std::move(*proto.mutable_executable());
  step.compile_seconds = proto.compile_seconds();
  if (proto.has_memory()) {
    const CompiledStepProto::Memory& memory = proto.memory();
    step.memory = {.argument_bytes = memory.argument_bytes(),
                   .output_bytes = memory.output_bytes(),
                   .alias_bytes = memory.alias_bytes(),
                   .temp_bytes = memory.temp_bytes(),
                   .code_bytes = memory.code_bytes(),
                   .peak_bytes = memory.peak_bytes()};
  }
  if (proto.has_flops()) step.flops = proto.flops();
  if (proto.has_bytes_accessed()) step.bytes_accessed = proto.bytes_accessed();
  if (proto.has_optimal_seconds()) {
    step.optimal_seconds = proto.optimal_seconds();
  }
  return step;
}

}  // namespace

CompiledStep DescribeCompiled(const pjrt::Executable& executable) {
  CompiledStep step;
  if (auto program = executable.Optimized(); program.ok()) {
    step.optimized = *std::move(program);
  }
  if (auto memory = executable.Memory(); memory.ok()) step.memory = *memory;
  if (auto costs = executable.Cost(); costs.ok()) {
    step.flops = CostOf(*costs, "flops");
    step.bytes_accessed = CostOf(*costs, "bytes accessed");
    step.optimal_seconds = CostOf(*costs, "optimal_seconds");
  }
  if (auto bytes = executable.Serialize(); bytes.ok()) {
    step.executable = *std::move(bytes);
  }
  return step;
}

std::string CompilationKey(const pjrt::Topology& topology,
                           absl::string_view program) {
  std::string key =
      absl::StrCat(PluginIdentity(topology.plugin()), "\n", topology.name());
  for (const char* name : {"XLA_FLAGS", "LIBTPU_INIT_ARGS"}) {
    const char* value = std::getenv(name);
    absl::StrAppend(&key, "\n", value == nullptr ? "" : value);
  }
  return absl::StrCat(key, "\n", program);
}

CompiledCache::CompiledCache(std::string directory, int64_t max_bytes)
    : directory_(std::move(directory)), max_bytes_(max_bytes) {}

std::optional<CompiledStep> CompiledCache::Find(const std::string& key) const {
  if (directory_.empty()) return std::nullopt;
  const absl::StatusOr<std::string> file = ReadFile(PathOf(directory_, key));
  if (!file.ok() || file->size() < sizeof(uint32_t)) return std::nullopt;
  const absl::string_view bytes =
      absl::string_view(*file).substr(0, file->size() - sizeof(uint32_t));
  CompiledStepProto proto;
  if (Trailer(bytes) != file->substr(bytes.size()) ||
      !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      proto.key() != key) {
    return std::nullopt;
  }
  std::error_code ignored;  // a folder that only others may write is fine
  fs::last_write_time(PathOf(directory_, key), fs::file_time_type::clock::now(),
                      ignored);
  return FromProto(proto);
}

absl::Status CompiledCache::Store(const std::string& key,
                                  const CompiledStep& step) const {
  if (directory_.empty()) return absl::OkStatus();
  CompiledStepProto proto = ToProto(step);
  proto.set_key(key);
  const std::string bytes = proto.SerializeAsString();
  RETURN_IF_ERROR(MakeDirectories(directory_));
  const std::string path = PathOf(directory_, key);
  RETURN_IF_ERROR(
      WriteFileAtomically(path, absl::StrCat(bytes, Trailer(bytes))));
  RemoveOldest(directory_, max_bytes_, path);
  return absl::OkStatus();
}

}  // namespace xla_byol
