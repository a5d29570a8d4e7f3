// The layouts of files in which data sets come. A new one is a row of the table
// in open_dataset.cc, a reader like idx.h, and a folder in
// dataset_format_test.cc.

#ifndef XLA_BYOL_INPUT_DATASET_FORMAT_H_
#define XLA_BYOL_INPUT_DATASET_FORMAT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/input/dataset.h"

namespace xla_byol::input {

struct DatasetFormat {
  const char* name;
  // Whether a folder has this layout, from a look at its names. Costs no more
  // than a directory listing.
  bool (*recognise)(const std::string& folder);
  // The names of its splits.
  absl::StatusOr<std::vector<std::string>> (*splits)(const std::string& folder);
  // Opens one whole split of a folder that was recognised. Errors are one
  // sentence and name the folder; an unknown split's names the nearest.
  absl::StatusOr<Dataset> (*open)(const std::string& folder,
                                  const std::string& split,
                                  const OpenOptions& options);
};

// In the order in which they are asked: the first that recognises a folder
// opens it. The last recognises every folder.
absl::Span<const DatasetFormat> DatasetFormats();

// The first that recognises the folder.
const DatasetFormat& FormatOf(const std::string& folder);

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_DATASET_FORMAT_H_
