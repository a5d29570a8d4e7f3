#include "xla_byol/training/agreement.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_byol/base/crc32c.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/run_directory.h"

namespace xla_byol {
namespace {

absl::string_view Bytes(const void* data, size_t size) {
  return {static_cast<const char*>(data), size};
}

// "fashion_mnist, split train, 60000 images, samples 89abcdef". Records from
// all parts of the data set stand for the rest.
absl::StatusOr<std::string> Describe(const input::Dataset& images) {
  constexpr int64_t kSamples = 32;
  const input::DatasetInfo& info = images.info();
  const int64_t samples = std::min(kSamples, info.size);
  uint32_t digest = 0;
  input::RecordScratch scratch;
  for (int64_t i = 0; i < samples; ++i) {
    input::Record record;
    const int64_t index = i * info.size / samples;
    if (!images.Read(index, scratch, record).ok()) continue;  // training tells
    digest = ExtendCrc32c(digest, Bytes(&record.label, sizeof(record.label)));
    digest = ExtendCrc32c(digest, record.encoded);
    const input::ImageView& pixels = record.pixels;
    if (pixels.data == nullptr) continue;
    digest = ExtendCrc32c(
        digest, Bytes(pixels.data, static_cast<size_t>(pixels.size.height) *
                                       pixels.size.width * pixels.channels));
  }
  return absl::StrCat(info.name, ", split ", info.split, ", ", info.size,
                      " images, samples ", absl::Hex(digest, absl::kZeroPad8));
}

}  // namespace

absl::Status CheckSameRun(distributed::Processes* processes,
                          const Config& config, const input::Dataset& images,
                          absl::string_view program) {
  if (processes == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(processes->CheckSame(
      "config", FormatConfig(config), [&](const std::string& theirs) {
        const absl::StatusOr<Config> other = ParseConfig(theirs, "");
        std::vector<std::string> changes;
        if (other.ok()) changes = TrainingChanges(config, *other);
        return changes.empty() ? std::string("evaluation or recording differ")
                               : absl::StrJoin(changes, ", ");
      }));
  ASSIGN_OR_RETURN(const std::string data, Describe(images));
  RETURN_IF_ERROR(processes->CheckSame("data set", data));
  return processes->CheckSame(
      "step", absl::StrCat("program ", absl::Hex(Crc32c(program)),
                           " (their CPUs or builds differ)"));
}

absl::Status CheckSameCheckpoint(distributed::Processes* processes,
                                 const Checkpoint& checkpoint) {
  if (processes == nullptr) return absl::OkStatus();
  uint32_t digest = 0;
  for (const std::vector<float>& values : checkpoint.values) {
    digest = ExtendCrc32c(digest,
                          Bytes(values.data(), values.size() * sizeof(float)));
  }
  return processes->CheckSame(
      "checkpoint", absl::StrCat("step ", checkpoint.step, " (",
                                 absl::Hex(digest, absl::kZeroPad8), ")"));
}

}  // namespace xla_byol
