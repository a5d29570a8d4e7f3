// What TFDS's dataset_info.json and features.json say, as far as we need it.

#ifndef XLA_BYOL_INPUT_DATASET_INFO_H_
#define XLA_BYOL_INPUT_DATASET_INFO_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/input/image.h"

namespace xla_byol::input {

struct TfdsSplit {
  std::string name;
  std::vector<int64_t> shard_lengths;  // Records in each shard.
  // File name with {DATASET}, {SPLIT}, {FILEFORMAT}, {SHARD_INDEX},
  // {NUM_SHARDS}, {SHARD_X_OF_Y} to fill in.
  std::string filepath_template;
};

struct TfdsInfo {
  std::string name;
  std::string version;
  std::vector<TfdsSplit> splits;
};

// Which features of an example to read.
struct TfdsFeatures {
  std::string image = "image";
  std::optional<std::string> label = "label";  // Empty: unlabeled.
  int64_t num_classes = 0;                     // 0: not known.
  std::optional<ImageSize> size;               // If all images have one size.
  int channels = 0;                            // 0: not known.
};

// Parses dataset_info.json. FailedPrecondition, with the command that converts,
// if the shards are not TFRecords; InvalidArgument if it is not such a file.
absl::StatusOr<TfdsInfo> ParseDatasetInfo(absl::string_view json);

// Parses features.json: takes the image feature named "image" or, failing
// that, the only one, and the class label likewise.
absl::StatusOr<TfdsFeatures> ParseFeatures(absl::string_view json);

// The file names of a split's shards, in order.
absl::StatusOr<std::vector<std::string>> ShardNames(const TfdsInfo& info,
                                                    const TfdsSplit& split);

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_DATASET_INFO_H_
