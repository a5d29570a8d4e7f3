#include "xla_byol/input/tfds.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla_byol/base/crc32c.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/nearest_name.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/base/tfrecord.h"
#include "xla_byol/input/dataset_info.h"
#include "xla_byol/input/record_index.h"
#include "xla_byol/input/tf_example.h"

namespace xla_byol::input {
namespace {

constexpr char kInfoFile[] = "dataset_info.json";
constexpr char kFeaturesFile[] = "features.json";

struct Shards {
  std::vector<RandomAccessFile> files;
  std::vector<ShardIndex> index;
  std::vector<int64_t> ends;  // Of each shard, in records of the split.
  TfdsFeatures features;

  struct Place {
    size_t shard;
    int64_t record;
  };
  Place Find(int64_t record) const {
    const size_t shard = static_cast<size_t>(
        std::upper_bound(ends.begin(), ends.end(), record) - ends.begin());
    return {shard, shard == 0 ? record : record - ends[shard - 1]};
  }

  std::string Locate(int64_t record) const;
  absl::Status Read(int64_t record, RecordScratch& scratch, Record& out) const;
  absl::Status ReadExample(absl::string_view example, int64_t record,
                           Record& out) const;
};

std::string Shards::Locate(int64_t record) const {
  const Place place = Find(record);
  const ShardIndex& shard = index[place.shard];
  if (place.record >= shard.records()) {
    return absl::StrCat(files[place.shard].path(), " record ", place.record);
  }
  return absl::StrCat(files[place.shard].path(), " offset ",
                      shard.offsets[static_cast<size_t>(place.record)]);
}

absl::Status Shards::Read(int64_t record, RecordScratch& scratch,
                          Record& out) const {
  const Place place = Find(record);
  const ShardIndex& shard = index[place.shard];
  if (place.record >= shard.records()) return absl::DataLossError(shard.broken);
  const size_t slot = static_cast<size_t>(place.record);
  const uint64_t begin = shard.offsets[slot];
  scratch.bytes.resize(shard.offsets[slot + 1] - begin);
  RETURN_IF_ERROR(files[place.shard].Read(begin, scratch.bytes.size(),
                                          scratch.bytes.data()));
  ASSIGN_OR_RETURN(const absl::string_view example, ParseRecord(scratch.bytes));
  return ReadExample(example, record, out);
}

absl::Status Shards::ReadExample(absl::string_view example, int64_t record,
                                 Record& out) const {
  std::optional<absl::string_view> image;
  std::optional<absl::string_view> label;
  RETURN_IF_ERROR(VisitFeatures(
      example, [&](absl::string_view name, absl::string_view feature) {
        if (name == features.image) image = feature;
        if (features.label.has_value() && name == *features.label) {
          label = feature;
        }
      }));
  if (!image.has_value()) {
    return absl::DataLossError(
        absl::StrCat("no feature \"", features.image, "\" in the record"));
  }
  ASSIGN_OR_RETURN(out.encoded, SingleBytes(*image));
  out.pixels = {};
  out.label = kNoLabel;
  if (!label.has_value()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t value, SingleInt64(*label));
  const int64_t limit = features.num_classes > 0
                            ? features.num_classes
                            : int64_t{std::numeric_limits<int32_t>::max()};
  if (value < kNoLabel || value >= limit) {
    return absl::InvalidArgumentError(absl::StrCat(
        "label ", value, " of ", Locate(record), " is not one of the ", limit,
        " classes that features.json states; prepare the data set again"));
  }
  out.label = static_cast<int32_t>(value);
  return absl::OkStatus();
}

// A thousand shards do not fit in the usual limit of open files, which every
// process may raise by itself.
void AllowOpenFiles(size_t count) {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = limit.rlim_cur + count;
  if (count < limit.rlim_cur / 4) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::vector<std::string> ReadLabelNames(const std::string& directory,
                                        const TfdsFeatures& features) {
  if (!features.label.has_value()) return {};
  const auto text = ReadFile(
      JoinPath(directory, absl::StrCat(*features.label, ".labels.txt")));
  if (!text.ok()) return {};
  absl::string_view trimmed = *text;
  absl::ConsumeSuffix(&trimmed, "\n");
  std::vector<std::string> names = absl::StrSplit(trimmed, '\n');
  if (static_cast<int64_t>(names.size()) != features.num_classes) return {};
  return names;
}

std::vector<std::string> IndexPaths(const std::string& directory,
                                    const TfdsInfo& info,
                                    const std::string& split,
                                    const OpenOptions& options) {
  const std::string name =
      absl::StrCat(info.name, "-", split, ".xla_byol_index");
  // One cache serves data sets of one name in many folders.
  std::error_code error;
  const std::string key = absl::StrFormat(
      "%08x-%s",
      Crc32c(std::filesystem::weakly_canonical(directory, error).string()),
      name);
  if (!options.index_dir.empty()) return {JoinPath(options.index_dir, key)};
  return {JoinPath(directory, name),
          JoinPath(JoinPath(CacheDirectory(), "index"), key)};
}

absl::Status CheckCounts(const Shards& shards, const TfdsSplit& split) {
  for (size_t i = 0; i < shards.index.size(); ++i) {
    const ShardIndex& shard = shards.index[i];
    const int64_t stated = split.shard_lengths[i];
    if (shard.records() == stated) continue;
    if (shard.records() < stated && !shard.broken.empty()) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(shards.files[i].path(), " has ", shard.records(),
                     " records and dataset_info.json says ", stated,
                     "; prepare the data set again"));
  }
  return absl::OkStatus();
}

absl::StatusOr<TfdsInfo> ReadInfo(const std::string& directory) {
  ASSIGN_OR_RETURN(const std::string json,
                   ReadFile(JoinPath(directory, kInfoFile)));
  auto info = ParseDatasetInfo(json);
  if (!info.ok()) {
    return absl::Status(info.status().code(),
                        absl::StrCat(directory, ": ", info.status().message()));
  }
  return info;
}

absl::StatusOr<TfdsFeatures> ReadFeatures(const std::string& directory) {
  const std::string path = JoinPath(directory, kFeaturesFile);
  // Old preparations have none; their keys are the default ones.
  if (!FileExists(path)) return TfdsFeatures();
  ASSIGN_OR_RETURN(const std::string json, ReadFile(path));
  auto features = ParseFeatures(json);
  if (!features.ok()) {
    return absl::Status(
        features.status().code(),
        absl::StrCat(directory, ": ", features.status().message()));
  }
  return features;
}

}  // namespace

bool IsTfdsDirectory(const std::string& directory) {
  return FileExists(JoinPath(directory, kInfoFile));
}

absl::StatusOr<std::vector<std::string>> TfdsSplitNames(
    const std::string& directory) {
  ASSIGN_OR_RETURN(const TfdsInfo info, ReadInfo(directory));
  std::vector<std::string> names;
  for (const TfdsSplit& split : info.splits) names.push_back(split.name);
  return names;
}

absl::StatusOr<Dataset> OpenTfds(const std::string& directory,
                                 const std::string& split_name,
                                 const OpenOptions& options) {
  ASSIGN_OR_RETURN(const TfdsInfo info, ReadInfo(directory));
  const auto split = std::find_if(
      info.splits.begin(), info.splits.end(),
      [&](const TfdsSplit& one) { return one.name == split_name; });
  if (split == info.splits.end()) {
    std::vector<std::string> names;
    for (const TfdsSplit& one : info.splits) names.push_back(one.name);
    return absl::NotFoundError(absl::StrCat(
        directory, " has no split \"", split_name, "\"; the nearest is \"",
        NearestName(split_name, names), "\""));
  }
  auto shards = std::make_shared<Shards>();
  ASSIGN_OR_RETURN(shards->features, ReadFeatures(directory));
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   ShardNames(info, *split));
  AllowOpenFiles(names.size());
  DatasetInfo result;
  for (size_t i = 0; i < names.size(); ++i) {
    auto file = RandomAccessFile::Open(JoinPath(directory, names[i]));
    if (absl::IsNotFound(file.status())) {
      return absl::NotFoundError(
          absl::StrCat(directory, " lacks shard ", names[i], " (", i + 1,
                       " of ", names.size(), " of split \"", split_name,
                       "\"); copy it there or prepare the data set again"));
    }
    if (!file.ok()) return file.status();
    shards->files.push_back(*std::move(file));
    result.size += split->shard_lengths[i];
    shards->ends.push_back(result.size);
  }
  if (result.size == 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "split \"", split_name, "\" of ", directory, " has no records"));
  }
  ASSIGN_OR_RETURN(
      shards->index,
      LoadOrBuildIndex(shards->files,
                       IndexPaths(directory, info, split_name, options),
                       options.threads, options.indexing));
  RETURN_IF_ERROR(CheckCounts(*shards, *split));

  result.name = info.name;
  result.path = directory;
  result.split = split_name;
  result.has_labels = shards->features.label.has_value();
  result.num_classes = shards->features.num_classes;
  result.label_names = ReadLabelNames(directory, shards->features);
  result.channels = shards->features.channels;
  result.image_size = shards->features.size;
  return Dataset(
      std::move(result),
      [shards](int64_t index, RecordScratch& scratch, Record& record) {
        return shards->Read(index, scratch, record);
      },
      [shards](int64_t index) { return shards->Locate(index); });
}

}  // namespace xla_byol::input
