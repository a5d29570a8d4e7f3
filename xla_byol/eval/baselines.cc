// The part of Evaluator that evaluates what was there before training.

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "xla_byol/base/crc32c.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/base/version.h"
#include "xla_byol/eval/evaluator.h"
#include "xla_byol/step/state.h"

namespace xla_byol {
namespace {

constexpr int64_t kEncodeBatch = 256;  // a device

// More training images than these have no baselines; and pixels of a side of
// those that have.
constexpr int64_t kLargestTrainingSet = 100000;
constexpr int kLargestPixels = 32;

constexpr char kPixels[] = "pixels";
constexpr char kUntrained[] = "untrained";

void Add(const char* what, const EvaluationResult& result,
         Baselines& baselines) {
  const auto add = [&](const char* name, double value) {
    baselines.emplace_back(absl::StrCat(what, "_", name), value);
  };
  if (result.knn_top1.has_value()) add("knn_top1", *result.knn_top1);
  if (result.linear.has_value()) add("linear_top1", result.linear->top1);
  add("feature_rank", result.feature_rank);
  add("feature_rankme", result.feature_rankme);
}

// Where the numbers of all that they depend on are kept, and that itself, which
// the file repeats: names may collide.
struct CacheEntry {
  std::string path;
  std::string key;
};

CacheEntry EntryFor(const Config& config, const EvaluationData& data,
                    EvaluationKind kind) {
  Config relevant;
  relevant.set_seed(config.seed());
  *relevant.mutable_data() = config.data();
  *relevant.mutable_model() = config.model();
  *relevant.mutable_evaluation() = config.evaluation();
  std::string key = absl::StrCat(
      kVersion, kind == EvaluationKind::kFull ? " full " : " quick ",
      data.train.info().path, " ", data.train.size(), " ", data.test.size(),
      "\n", FormatConfig(relevant));
  const std::string name =
      absl::StrFormat("%08x-%d.txt", Crc32c(key), key.size());
  return {JoinPath(JoinPath(CacheDirectory(), "baselines"), name),
          std::move(key)};
}

// A record, and below it the key.
std::optional<Baselines> ReadEntry(const CacheEntry& entry) {
  const absl::StatusOr<std::string> text = ReadFile(entry.path);
  if (!text.ok()) return std::nullopt;
  const size_t end = text->find('\n');
  if (end == std::string::npos || text->substr(end + 1) != entry.key) {
    return std::nullopt;
  }
  absl::StatusOr<MetricsRecord> record =
      ParseMetricsRecord(text->substr(0, end));
  if (!record.ok()) return std::nullopt;
  return std::move(record->values);
}

void WriteEntry(const CacheEntry& entry, const Baselines& baselines) {
  MetricsRecord record{.kind = kEvaluation};
  record.values = baselines;
  absl::Status written =
      MakeDirectories(JoinPath(CacheDirectory(), "baselines"));
  if (written.ok()) {
    written = WriteFileAtomically(
        entry.path, absl::StrCat(ToJson(record), "\n", entry.key));
  }
  // They are only measured again.
  if (!written.ok()) LogWarning(written.message());
}

}  // namespace

std::string BaselineSummary(const Baselines& baselines) {
  const auto line = [&baselines](const char* what, const char* title) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : baselines) {
      const auto is = [&, &have = name](const char* measure) {
        return have == absl::StrCat(what, "_", measure);
      };
      if (is("knn_top1")) {
        parts.push_back(absl::StrFormat("k-NN %.2f%%", 100 * value));
      }
      if (is("linear_top1")) {
        parts.push_back(absl::StrFormat("linear probe %.2f%%", 100 * value));
      }
      if (is("feature_rank")) {
        parts.push_back(absl::StrFormat("effective rank %.1f", value));
      }
      if (is("feature_rankme") && !parts.empty()) {
        absl::StrAppendFormat(&parts.back(), " (RankMe %.1f)", value);
      }
    }
    return absl::StrCat("for comparison, ", title, ": ",
                        absl::StrJoin(parts, ", "));
  };
  if (baselines.empty()) return "";
  return absl::StrCat(line(kUntrained, "the untrained network"), "\n",
                      line(kPixels, "raw pixels"));
}

absl::StatusOr<Baselines> Evaluator::EvaluateBaselines(
    absl::Span<const StateTensor> layout, EvaluationKind kind) {
  if (!labelled() || data_.train.size() > kLargestTrainingSet) {
    return Baselines{};
  }
  // Processes together must all measure or none.
  if (runtime_.place().processes > 1) return MeasureBaselines(layout, kind);
  const CacheEntry entry = EntryFor(config_, data_, kind);
  if (std::optional<Baselines> kept = ReadEntry(entry)) return *std::move(kept);
  ASSIGN_OR_RETURN(Baselines baselines, MeasureBaselines(layout, kind));
  WriteEntry(entry, baselines);
  return baselines;
}

absl::StatusOr<Baselines> Evaluator::MeasureBaselines(
    absl::Span<const StateTensor> layout, EvaluationKind kind) {
  LogInfo("the same measures of the untrained network and of raw pixels:");
  StateValues values;
  for (const StateTensor& tensor : layout) {
    std::vector<float>& place =
        values.emplace_back(static_cast<size_t>(tensor.shape.elements()));
    InitializeState(tensor, config_.seed(), absl::MakeSpan(place));
  }
  Baselines baselines;
  ASSIGN_OR_RETURN(FeatureExtractor untrained,
                   FeatureExtractor::Create(runtime_, config_, kEncodeBatch,
                                            FeatureSource::kUntrained));
  RETURN_IF_ERROR(untrained.SetWeights(layout, values));
  ASSIGN_OR_RETURN(const EvaluationResult before,
                   Measure(untrained, kind, /*random_crops=*/false));
  Add(kUntrained, before, baselines);
  Config small = config_;
  small.mutable_evaluation()->set_image_size(
      std::min(config_.data().image_size(), kLargestPixels));
  ASSIGN_OR_RETURN(FeatureExtractor pixels,
                   FeatureExtractor::Create(runtime_, small, kEncodeBatch,
                                            FeatureSource::kPixels));
  ASSIGN_OR_RETURN(const EvaluationResult raw,
                   Measure(pixels, kind, /*random_crops=*/false));
  Add(kPixels, raw, baselines);
  return baselines;
}

}  // namespace xla_byol
