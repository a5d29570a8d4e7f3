// IDX files, as MNIST and its relatives come: big-endian header (0, 0, type,
// number of dimensions, dimensions), then the values; often gzipped.

#ifndef XLA_BYOL_INPUT_IDX_H_
#define XLA_BYOL_INPUT_IDX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/input/dataset.h"

namespace xla_byol::input {

// Bytes in up to four dimensions, the first being the record's number.
struct IdxArray {
  std::vector<int64_t> dimensions;
  std::string values;
};

// Parses a plain or gzipped file of unsigned bytes. DataLoss if it is not one,
// or holds fewer or more values than its dimensions say.
absl::StatusOr<IdxArray> ParseIdx(absl::string_view bytes);

// The splits ("train", "test") whose image files the folder has.
std::vector<std::string> IdxSplitNames(const std::string& directory);

// Reads {train,t10k}-images-idx3-ubyte and ...-labels-idx1-ubyte, plain or with
// .gz, whole into memory. Without a label file the data set is unlabeled.
absl::StatusOr<Dataset> OpenIdx(const std::string& directory,
                                const std::string& split);

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_IDX_H_
