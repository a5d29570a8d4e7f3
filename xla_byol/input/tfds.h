// Data sets as TensorFlow Datasets writes them: dataset_info.json,
// features.json, label names, TFRecord shards of tf.Examples.

#ifndef XLA_BYOL_INPUT_TFDS_H_
#define XLA_BYOL_INPUT_TFDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_byol/input/dataset.h"

namespace xla_byol::input {

// Whether the folder holds such a data set.
bool IsTfdsDirectory(const std::string& directory);

// The names of its splits, in the order of dataset_info.json.
absl::StatusOr<std::vector<std::string>> TfdsSplitNames(
    const std::string& directory);

// Opens one whole split. Records that the index cannot reach, because a shard
// is cut off or its framing broken, are bad records; a missing shard, or a
// shard with another number of records than dataset_info.json says, is an
// error.
absl::StatusOr<Dataset> OpenTfds(const std::string& directory,
                                 const std::string& split,
                                 const OpenOptions& options);

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_TFDS_H_
