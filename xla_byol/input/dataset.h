// A data set: numbered records, each an image and perhaps a label.

#ifndef XLA_BYOL_INPUT_DATASET_H_
#define XLA_BYOL_INPUT_DATASET_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/input/image.h"

namespace xla_byol::input {

inline constexpr int32_t kNoLabel = -1;

struct DatasetInfo {
  std::string name;
  std::string path;
  std::string split;
  int64_t size = 0;  // Records; never 0 in an open data set.
  bool has_labels = false;
  int64_t num_classes = 0;               // 0: unlabeled, or not stated.
  std::vector<std::string> label_names;  // Empty, or num_classes of them.
  int channels = 0;                      // 1 or 3; 0: differs or not stated.
  std::optional<ImageSize> image_size;   // If all records share one.
  std::string left_out;  // What of the folder is not read, in a few words.
};

// Memory that reading a record may use; one per thread.
struct RecordScratch {
  std::string bytes;
};

// One record. Its memory belongs to the data set or the scratch, and is valid
// until the scratch is used again. Either `encoded` (a JPEG or PNG file) or
// `pixels` is set.
struct Record {
  absl::string_view encoded;
  ImageView pixels;
  int32_t label = kNoLabel;
};

// A value: copies share the same open files. Threads may share one.
class Dataset {
 public:
  using ReadFunction =
      std::function<absl::Status(int64_t, RecordScratch&, Record&)>;
  using LocateFunction = std::function<std::string(int64_t)>;

  Dataset(DatasetInfo info, ReadFunction read, LocateFunction locate)
      : info_(std::move(info)),
        read_(std::move(read)),
        locate_(std::move(locate)) {}

  const DatasetInfo& info() const { return info_; }
  int64_t size() const { return info_.size; }

  // 0 <= index < size(). DataLoss says that this record is bad and others may
  // be fine; any other error that the data set is.
  absl::Status Read(int64_t index, RecordScratch& scratch,
                    Record& record) const {
    return read_(index, scratch, record);
  }

  // Where the record is, for a message: shard and offset, or file.
  std::string Locate(int64_t index) const { return locate_(index); }

 private:
  DatasetInfo info_;
  ReadFunction read_;
  LocateFunction locate_;
};

struct OpenOptions {
  // Where data sets are looked for by name. Empty: $TFDS_DATA_DIR, or else
  // ~/tensorflow_datasets.
  std::string data_dir;
  // Where indices of records are kept. Empty: beside the data or, if that
  // cannot be written, in the user's cache.
  std::string index_dir;
  int threads = 4;  // To build an index with.
  // Told how many of how many shards are indexed, by several threads; a data
  // set that has an index never calls it.
  std::function<void(int64_t, int64_t)> indexing = {};
};

// Opens a data set in one of three layouts:
// - a TFDS directory, by name ("cifar10", "imagenet2012:5.1.0",
//   "name/config", newest version by default) or by path;
// - IDX files (MNIST's) in a folder given by path; "fashion_mnist" also finds
//   Debian's package;
// - a folder of images given by path: split/class/file, class/file, or files
//   alone, which are unlabeled.
// `split` may be sliced and added as in TFDS: "train[10000:]",
// "train[:10%]+test" (see split.h). Relative paths are relative to the user's
// working directory; a plain name is looked up in data_dir first. Errors are
// one sentence and name the nearest valid name.
absl::StatusOr<Dataset> OpenDataset(const std::string& name_or_path,
                                    const std::string& split,
                                    const OpenOptions& options = {});

// The folder that OpenDataset would open, as an absolute path.
absl::StatusOr<std::string> FindDataset(const std::string& name_or_path,
                                        const OpenOptions& options = {});

// Every `step`th record, from the first on, or all `others`; step >= 2. Must
// not be empty.
Dataset EveryNth(const Dataset& dataset, int64_t step, bool others);

// Records [begin, end) of a data set, or several data sets one after the
// other (of one layout, so that they agree in labels and channels).
Dataset Slice(const Dataset& dataset, int64_t begin, int64_t end);
Dataset Concatenate(const std::vector<Dataset>& parts);

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_DATASET_H_
