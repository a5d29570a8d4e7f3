// OpenDataset: finds the folder, and the reader that knows its layout.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/nearest_name.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/input/dataset.h"
#include "xla_byol/input/dataset_format.h"
#include "xla_byol/input/idx.h"
#include "xla_byol/input/image_folder.h"
#include "xla_byol/input/split.h"
#include "xla_byol/input/tfds.h"

namespace xla_byol::input {
namespace {

// Where Debian's package dataset-fashion-mnist puts its files.
constexpr char kFashionMnist[] = "fashion_mnist";
constexpr char kDebianFashionMnist[] = "/usr/share/datasets/fashion-mnist";

bool IsFolder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

std::vector<std::string> Subfolders(const std::string& path) {
  std::vector<std::string> folders;
  const auto names = ListDirectory(path);
  if (!names.ok()) return folders;
  for (const std::string& name : *names) {
    if (!absl::StartsWith(name, ".") && IsFolder(JoinPath(path, name))) {
      folders.push_back(name);
    }
  }
  return folders;
}

std::string DefaultDataDir() {
  if (const char* directory = std::getenv("TFDS_DATA_DIR")) return directory;
  if (const char* home = std::getenv("HOME")) {
    return JoinPath(home, "tensorflow_datasets");
  }
  return ".";
}

using Version = std::vector<int64_t>;

std::optional<Version> ParseVersion(absl::string_view text) {
  Version version;
  for (absl::string_view part : absl::StrSplit(text, '.')) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(part, &number)) return std::nullopt;
    version.push_back(number);
  }
  return version;
}

// "5.*.*" matches 5.1.0; an empty pattern matches all.
bool Matches(const Version& version, absl::string_view pattern) {
  if (pattern.empty()) return true;
  const std::vector<absl::string_view> parts = absl::StrSplit(pattern, '.');
  if (parts.size() != version.size()) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] != "*" && parts[i] != absl::StrCat(version[i])) return false;
  }
  return true;
}

// The newest version of a data set below `path` that matches, or nothing.
std::optional<std::string> NewestVersion(const std::string& path,
                                         absl::string_view pattern) {
  std::optional<Version> newest;
  std::string folder;
  for (const std::string& name : Subfolders(path)) {
    const std::optional<Version> version = ParseVersion(name);
    if (!version.has_value() || !Matches(*version, pattern)) continue;
    if (!IsTfdsDirectory(JoinPath(path, name))) continue;
    if (!newest.has_value() || *newest < *version) {
      newest = version;
      folder = JoinPath(path, name);
    }
  }
  if (!newest.has_value()) return std::nullopt;
  return folder;
}

// A folder that holds exactly one layout, found from what the user wrote.
absl::StatusOr<std::string> FindFolder(const std::string& name_or_path,
                                       const OpenOptions& options) {
  const std::string path = ResolveUserPath(name_or_path);
  const bool is_path = absl::StartsWith(name_or_path, "/") ||
                       absl::StartsWith(name_or_path, ".") ||
                       absl::StartsWith(name_or_path, "~");
  if (is_path) {
    if (!IsFolder(path)) {
      return absl::NotFoundError(
          absl::StrCat("data set ", path, " is not a folder"));
    }
    if (IsTfdsDirectory(path)) return path;
    return NewestVersion(path, "").value_or(path);
  }
  const std::string data_dir = options.data_dir.empty()
                                   ? DefaultDataDir()
                                   : ResolveUserPath(options.data_dir);
  const std::pair<std::string, std::string> name_and_version =
      absl::StrSplit(name_or_path, absl::MaxSplits(':', 1));
  const auto& [name, version] = name_and_version;
  const std::string folder = JoinPath(data_dir, name);
  if (const auto found = NewestVersion(folder, version)) return *found;
  if (IsTfdsDirectory(folder) && version.empty()) return folder;
  if (name == kFashionMnist && version.empty() &&
      IsFolder(kDebianFashionMnist)) {
    return std::string(kDebianFashionMnist);
  }
  // A folder of one's own, in the working directory.
  if (IsFolder(path) && version.empty()) {
    return NewestVersion(path, "").value_or(path);
  }
  if (!Subfolders(folder).empty()) {
    return absl::NotFoundError(absl::StrCat(
        folder, " has no version ", version.empty() ? "at all" : version,
        "; it has ", absl::StrJoin(Subfolders(folder), ", ")));
  }
  // What the user may have meant: names, and configs below names.
  std::vector<std::string> known = {kFashionMnist};
  for (const std::string& one : Subfolders(data_dir)) {
    if (NewestVersion(JoinPath(data_dir, one), "")) known.push_back(one);
    for (const std::string& config : Subfolders(JoinPath(data_dir, one))) {
      if (NewestVersion(JoinPath(JoinPath(data_dir, one), config), "")) {
        known.push_back(JoinPath(one, config));
      }
    }
  }
  const std::string similar = SimilarName(name, known);
  return absl::NotFoundError(absl::StrCat(
      "data set \"", name, "\" is not in ", data_dir,
      similar.empty() ? "" : absl::StrCat("; the nearest is \"", similar, "\""),
      ", and there is no folder ", path,
      " (//data:prepare prepares data sets; see docs/data.md)"));
}

constexpr DatasetFormat kFormats[] = {
    {"TFDS", IsTfdsDirectory, TfdsSplitNames, OpenTfds},
    {"IDX",
     [](const std::string& folder) { return !IdxSplitNames(folder).empty(); },
     [](const std::string& folder) -> absl::StatusOr<std::vector<std::string>> {
       return IdxSplitNames(folder);
     },
     [](const std::string& folder, const std::string& split,
        const OpenOptions&) { return OpenIdx(folder, split); }},
    // What is nothing else; it says what is wrong with a folder of nothing.
    {"image folder", [](const std::string&) { return true; },
     [](const std::string& folder) -> absl::StatusOr<std::vector<std::string>> {
       return ImageFolderSplitNames(folder);
     },
     [](const std::string& folder, const std::string& split,
        const OpenOptions&) { return OpenImageFolder(folder, split); }},
};

}  // namespace

absl::Span<const DatasetFormat> DatasetFormats() { return kFormats; }

const DatasetFormat& FormatOf(const std::string& folder) {
  const auto* format = std::begin(kFormats);
  while (!format->recognise(folder)) ++format;
  return *format;
}

absl::StatusOr<std::string> FindDataset(const std::string& name_or_path,
                                        const OpenOptions& options) {
  return FindFolder(name_or_path, options);
}

absl::StatusOr<Dataset> OpenDataset(const std::string& name_or_path,
                                    const std::string& split,
                                    const OpenOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<SplitPart> parts, ParseSplit(split));
  ASSIGN_OR_RETURN(const std::string folder, FindFolder(name_or_path, options));
  const DatasetFormat& format = FormatOf(folder);
  std::vector<Dataset> datasets;
  for (const SplitPart& part : parts) {
    ASSIGN_OR_RETURN(const Dataset whole,
                     format.open(folder, part.name, options));
    ASSIGN_OR_RETURN(const auto range, SplitRange(part, whole.size()));
    datasets.push_back(Slice(whole, range.first, range.second));
    if (part.step == 1) continue;
    if (part.others && datasets.back().size() == 1) {
      return absl::OutOfRangeError(
          absl::StrCat("split \"", split, "\" of ", folder, " has no images"));
    }
    datasets.back() = EveryNth(datasets.back(), part.step, part.others);
  }
  return Concatenate(datasets);
}

}  // namespace xla_byol::input
