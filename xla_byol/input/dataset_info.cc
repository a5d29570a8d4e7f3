#include "xla_byol/input/dataset_info.h"

#include <google/protobuf/util/json_util.h>

#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/input/dataset_info.pb.h"

namespace xla_byol::input {
namespace {

constexpr absl::string_view kDefaultTemplate =
    "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}";
constexpr absl::string_view kFileFormat = "tfrecord";
// Shard counts beyond this are not a data set but a broken file.
constexpr int kMaxShards = 1 << 20;

template <typename Message>
absl::StatusOr<Message> ParseJson(absl::string_view json,
                                  absl::string_view file) {
  Message message;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto status = google::protobuf::util::JsonStringToMessage(
      std::string(json), &message, options);
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        file, " is not what TFDS writes: ",
        absl::string_view(status.message().data(), status.message().size())));
  }
  return message;
}

// `wanted` if a feature of that name is in `found`, else the only one found.
absl::StatusOr<std::string> Choose(const std::vector<std::string>& found,
                                   const std::string& wanted) {
  for (const std::string& name : found) {
    if (name == wanted) return name;
  }
  if (found.size() == 1) return found[0];
  return absl::InvalidArgumentError(absl::StrCat(
      "features.json has no feature \"", wanted,
      "\" and several that could stand for it: ", absl::StrJoin(found, ", ")));
}

}  // namespace

absl::StatusOr<TfdsInfo> ParseDatasetInfo(absl::string_view json) {
  ASSIGN_OR_RETURN(const DatasetInfoJson parsed,
                   ParseJson<DatasetInfoJson>(json, "dataset_info.json"));
  if (parsed.name().empty()) {
    return absl::InvalidArgumentError("dataset_info.json has no \"name\"");
  }
  // Old files have no format; there was only one.
  if (!parsed.file_format().empty() && parsed.file_format() != kFileFormat) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the shards are in the format ", parsed.file_format(),
        ", and tfrecord is read; convert with `tfds build ", parsed.name(),
        " --file_format=tfrecord` or //data:prepare"));
  }
  TfdsInfo info;
  info.name = parsed.name();
  info.version = parsed.version();
  for (const auto& split : parsed.splits()) {
    if (split.shard_lengths_size() > kMaxShards) {
      return absl::InvalidArgumentError(
          absl::StrCat("dataset_info.json gives split \"", split.name(), "\" ",
                       split.shard_lengths_size(), " shards"));
    }
    TfdsSplit& result = info.splits.emplace_back();
    result.name = split.name();
    result.filepath_template = split.filepath_template().empty()
                                   ? std::string(kDefaultTemplate)
                                   : split.filepath_template();
    for (int64_t length : split.shard_lengths()) {
      if (length < 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("dataset_info.json gives split \"", split.name(),
                         "\" a shard of ", length, " records"));
      }
      result.shard_lengths.push_back(length);
    }
  }
  return info;
}

absl::StatusOr<TfdsFeatures> ParseFeatures(absl::string_view json) {
  ASSIGN_OR_RETURN(const FeatureJson parsed,
                   ParseJson<FeatureJson>(json, "features.json"));
  // Sorted, since protobuf's map is not, and messages should not change.
  std::map<std::string, FeatureJson> features(
      parsed.features_dict().features().begin(),
      parsed.features_dict().features().end());
  std::vector<std::string> images;
  std::vector<std::string> labels;
  for (const auto& [name, feature] : features) {
    if (feature.has_image()) images.push_back(name);
    if (feature.has_class_label()) labels.push_back(name);
  }
  if (images.empty()) {
    return absl::InvalidArgumentError(
        "features.json has no image feature; this is not an image data set");
  }
  TfdsFeatures result;
  ASSIGN_OR_RETURN(result.image, Choose(images, "image"));
  const FeatureJson::Image& image = features[result.image].image();
  if (!image.dtype().empty() && image.dtype() != "uint8") {
    return absl::InvalidArgumentError(
        absl::StrCat("image feature \"", result.image, "\" is of type ",
                     image.dtype(), ", and uint8 is read"));
  }
  const auto& dimensions = image.shape().dimensions();
  if (dimensions.size() == 3) {
    const int64_t height = dimensions[0];
    const int64_t width = dimensions[1];
    if (height > 0 && width > 0 && height <= kMaxImagePixels &&
        width <= kMaxImagePixels && height * width <= kMaxImagePixels) {
      result.size =
          ImageSize{static_cast<int32_t>(width), static_cast<int32_t>(height)};
    }
    if (dimensions[2] == 1 || dimensions[2] == 3) {
      result.channels = static_cast<int>(dimensions[2]);
    }
  }
  result.label.reset();
  if (!labels.empty()) {
    ASSIGN_OR_RETURN(result.label, Choose(labels, "label"));
    result.num_classes = features[*result.label].class_label().num_classes();
  }
  return result;
}

absl::StatusOr<std::vector<std::string>> ShardNames(const TfdsInfo& info,
                                                    const TfdsSplit& split) {
  const size_t count = split.shard_lengths.size();
  const std::string total = absl::StrFormat("%05d", count);
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    const std::string index = absl::StrFormat("%05d", i);
    std::string name = absl::StrReplaceAll(
        split.filepath_template,
        {{"{DATASET}", info.name},
         {"{SPLIT}", split.name},
         {"{FILEFORMAT}", std::string(kFileFormat)},
         {"{SHARD_INDEX}", index},
         {"{NUM_SHARDS}", total},
         {"{SHARD_X_OF_Y}", absl::StrCat(index, "-of-", total)}});
    // The template comes from a file: it must not lead out of the folder.
    if (absl::StrContains(name, '/') || absl::StrContains(name, '{')) {
      return absl::InvalidArgumentError(
          absl::StrCat("dataset_info.json has the file template \"",
                       split.filepath_template, "\", which is not understood"));
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace xla_byol::input
