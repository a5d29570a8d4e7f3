#include "xla_byol/input/idx.h"

#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/nearest_name.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::input {
namespace {

// The files have numbers only. The names are those of the data set's authors.
constexpr const char* kFashionMnistClasses[] = {
    "T-shirt", "trouser", "pullover", "dress", "coat",
    "sandal",  "shirt",   "sneaker",  "bag",   "ankle boot"};

constexpr int kUnsignedByte = 8;
constexpr int64_t kMaxValues = int64_t{1} << 33;

// TFDS's names of the splits, and how files of the split begin.
constexpr struct {
  const char* name;
  const char* prefix;
} kSplits[] = {{"train", "train"}, {"test", "t10k"}};

// Inflates a gzip file; no more than `limit` bytes, since a small file can
// claim to be any size.
absl::StatusOr<std::string> Gunzip(absl::string_view bytes, size_t limit) {
  z_stream stream = {};
  if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK) {
    return absl::ResourceExhaustedError("zlib has no memory");
  }
  const absl::Cleanup end = [&stream] { inflateEnd(&stream); };
  std::string plain;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  int result = Z_OK;
  while (result == Z_OK && plain.size() <= limit) {
    constexpr size_t kStep = 1 << 20;
    const size_t before = plain.size();
    plain.resize(before + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(plain.data() + before);
    stream.avail_out = kStep;
    result = inflate(&stream, Z_NO_FLUSH);
    plain.resize(before + kStep - stream.avail_out);
  }
  if (result != Z_STREAM_END) {
    return absl::DataLossError("gzip data is broken or cut off");
  }
  return plain;
}

std::string WithOrWithoutGz(const std::string& path) {
  return FileExists(path) ? path : absl::StrCat(path, ".gz");
}

std::string FilePath(const std::string& directory, const std::string& split,
                     absl::string_view rest) {
  for (const auto& known : kSplits) {
    if (split == known.name) {
      return WithOrWithoutGz(
          JoinPath(directory, absl::StrCat(known.prefix, rest)));
    }
  }
  return "";
}

absl::StatusOr<IdxArray> ReadIdx(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  auto array = ParseIdx(bytes);
  if (!array.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": ", array.status().message()));
  }
  return array;
}

struct Arrays {
  IdxArray images;
  IdxArray labels;
  std::string path;
};

}  // namespace

absl::StatusOr<IdxArray> ParseIdx(absl::string_view bytes) {
  std::string plain;
  if (absl::StartsWith(bytes, "\x1f\x8b")) {
    ASSIGN_OR_RETURN(plain, Gunzip(bytes, static_cast<size_t>(kMaxValues)));
    bytes = plain;
  }
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0 ||
      bytes[2] != kUnsignedByte || bytes[3] < 1 || bytes[3] > 4) {
    return absl::DataLossError("not an IDX file of unsigned bytes");
  }
  const size_t rank = static_cast<size_t>(bytes[3]);
  const size_t header = 4 + 4 * rank;
  if (bytes.size() < header) return absl::DataLossError("IDX header cut off");
  IdxArray array;
  int64_t count = 1;
  for (size_t d = 0; d < rank; ++d) {
    int64_t dimension = 0;
    for (size_t i = 0; i < 4; ++i) {
      dimension =
          dimension << 8 | static_cast<unsigned char>(bytes[4 + 4 * d + i]);
    }
    if (dimension != 0 && count > kMaxValues / dimension) {
      return absl::DataLossError("IDX header states an absurd size");
    }
    count *= dimension;
    array.dimensions.push_back(dimension);
  }
  if (static_cast<int64_t>(bytes.size() - header) != count) {
    return absl::DataLossError(
        absl::StrCat("IDX file holds ", bytes.size() - header,
                     " values, and its header says ", count));
  }
  array.values = std::string(bytes.substr(header));
  return array;
}

std::vector<std::string> IdxSplitNames(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& known : kSplits) {
    if (FileExists(FilePath(directory, known.name, "-images-idx3-ubyte"))) {
      names.push_back(known.name);
    }
  }
  return names;
}

absl::StatusOr<Dataset> OpenIdx(const std::string& directory,
                                const std::string& split) {
  const std::vector<std::string> splits = IdxSplitNames(directory);
  if (std::find(splits.begin(), splits.end(), split) == splits.end()) {
    return absl::NotFoundError(absl::StrCat(directory, " has no split \"",
                                            split, "\"; the nearest is \"",
                                            NearestName(split, splits), "\""));
  }
  auto arrays = std::make_shared<Arrays>();
  arrays->path = FilePath(directory, split, "-images-idx3-ubyte");
  ASSIGN_OR_RETURN(arrays->images, ReadIdx(arrays->path));
  const std::vector<int64_t>& shape = arrays->images.dimensions;
  if (shape.size() != 3 || shape[0] == 0 || shape[1] == 0 || shape[2] == 0 ||
      shape[1] > kMaxImagePixels / shape[2]) {
    return absl::FailedPreconditionError(absl::StrCat(
        arrays->path, " does not hold images (records, rows, columns)"));
  }
  DatasetInfo info;
  info.name = std::filesystem::path(directory).filename().string();
  info.path = directory;
  info.split = split;
  info.size = shape[0];
  info.channels = 1;
  info.image_size =
      ImageSize{static_cast<int32_t>(shape[2]), static_cast<int32_t>(shape[1])};
  const std::string label_path =
      FilePath(directory, split, "-labels-idx1-ubyte");
  if (FileExists(label_path)) {
    ASSIGN_OR_RETURN(arrays->labels, ReadIdx(label_path));
    if (arrays->labels.dimensions != std::vector<int64_t>{info.size}) {
      return absl::FailedPreconditionError(
          absl::StrCat(label_path, " holds ", arrays->labels.values.size(),
                       " labels for ", info.size, " images"));
    }
    info.has_labels = true;
    for (char label : arrays->labels.values) {
      info.num_classes = std::max<int64_t>(
          info.num_classes, static_cast<unsigned char>(label) + 1);
    }
    if (absl::StartsWith(info.name, "fashion") &&
        info.num_classes == std::ssize(kFashionMnistClasses)) {
      info.label_names.assign(std::begin(kFashionMnistClasses),
                              std::end(kFashionMnistClasses));
    }
  }
  const ImageSize size = *info.image_size;
  return Dataset(
      std::move(info),
      [arrays, size](int64_t index, RecordScratch&, Record& record) {
        record = {};
        record.pixels.data =
            reinterpret_cast<const uint8_t*>(arrays->images.values.data()) +
            index * size.width * size.height;
        record.pixels.size = size;
        record.pixels.channels = 1;
        record.pixels.stride = size.width;
        if (!arrays->labels.values.empty()) {
          record.label = static_cast<unsigned char>(
              arrays->labels.values[static_cast<size_t>(index)]);
        }
        return absl::OkStatus();
      },
      [arrays](int64_t index) {
        return absl::StrCat(arrays->path, " record ", index);
      });
}

}  // namespace xla_byol::input
