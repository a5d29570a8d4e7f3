#include "xla_byol/input/image_folder.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/nearest_name.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::input {
namespace {

constexpr absl::string_view kSplitFolders[] = {"train", "test", "val",
                                               "validation"};
constexpr absl::string_view kExtensions[] = {".jpg", ".jpeg", ".png"};
constexpr absl::string_view kOtherFormats[] = {
    ".avif", ".bmp", ".gif", ".heic", ".heif", ".tif", ".tiff", ".webp"};

struct Files {
  std::string root;
  std::vector<std::string> paths;  // Relative to root.
  std::vector<int32_t> labels;     // Empty: unlabeled.
  std::vector<std::string> other_formats;
};

bool IsFolder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

bool HasExtension(const std::string& name,
                  absl::Span<const absl::string_view> extensions) {
  if (absl::StartsWith(name, ".")) return false;
  for (absl::string_view extension : extensions) {
    if (absl::EndsWithIgnoreCase(name, extension)) return true;
  }
  return false;
}

bool IsImageName(const std::string& name) {
  return HasExtension(name, kExtensions);
}

absl::Status AddImages(const std::string& folder, const std::string& prefix,
                       Files& files) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDirectory(folder));
  for (const std::string& name : names) {
    if (IsImageName(name)) files.paths.push_back(absl::StrCat(prefix, name));
    if (HasExtension(name, kOtherFormats)) {
      files.other_formats.push_back(absl::StrCat(prefix, name));
    }
  }
  return absl::OkStatus();
}

// Subfolders that hold images.
absl::Status AddClasses(const std::string& root, std::set<std::string>& names) {
  ASSIGN_OR_RETURN(const std::vector<std::string> entries, ListDirectory(root));
  for (const std::string& name : entries) {
    const std::string path = JoinPath(root, name);
    if (absl::StartsWith(name, ".") || !IsFolder(path)) continue;
    ASSIGN_OR_RETURN(const std::vector<std::string> files, ListDirectory(path));
    if (std::any_of(files.begin(), files.end(), IsImageName)) {
      names.insert(name);
    }
  }
  return absl::OkStatus();
}

// Of all splits, so that a split that lacks a class has the same labels.
absl::StatusOr<std::vector<std::string>> ClassNames(
    const std::string& directory, const std::string& root) {
  std::set<std::string> names;
  RETURN_IF_ERROR(AddClasses(root, names));
  if (root != directory && !names.empty()) {
    for (const std::string& split : ImageFolderSplitNames(directory)) {
      const std::string folder = JoinPath(directory, split);
      if (folder == root || !IsFolder(folder)) continue;
      RETURN_IF_ERROR(AddClasses(folder, names));
    }
  }
  return std::vector<std::string>(names.begin(), names.end());
}

// Images beside the folders of classes, and files that would have to be
// converted: their owner expects them to be trained on.
std::string LeftOut(const Files& files, int64_t beside_classes) {
  std::vector<std::string> parts;
  if (beside_classes > 0) {
    parts.push_back(absl::StrCat(beside_classes,
                                 beside_classes == 1 ? " image" : " images",
                                 " beside the folders"));
  }
  if (!files.other_formats.empty()) {
    parts.push_back(absl::StrCat(files.other_formats.size(),
                                 " of other formats, such as ",
                                 files.other_formats.front()));
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace

std::vector<std::string> ImageFolderSplitNames(const std::string& directory) {
  std::vector<std::string> names;
  for (absl::string_view name : kSplitFolders) {
    if (IsFolder(JoinPath(directory, name))) names.emplace_back(name);
  }
  if (names.empty()) names.push_back("train");
  return names;
}

absl::StatusOr<Dataset> OpenImageFolder(const std::string& directory,
                                        const std::string& split) {
  auto files = std::make_shared<Files>();
  files->root = directory;
  const std::string split_folder = JoinPath(directory, split);
  if (IsFolder(split_folder)) {
    files->root = split_folder;
  } else {
    const std::vector<std::string> splits = ImageFolderSplitNames(directory);
    if (std::find(splits.begin(), splits.end(), split) == splits.end()) {
      return absl::NotFoundError(absl::StrCat(
          directory, " has no split \"", split, "\"; the nearest is \"",
          NearestName(split, splits), "\""));
    }
  }
  DatasetInfo info;
  ASSIGN_OR_RETURN(info.label_names, ClassNames(directory, files->root));
  for (size_t label = 0; label < info.label_names.size(); ++label) {
    const std::string& name = info.label_names[label];
    const std::string path = JoinPath(files->root, name);
    if (!IsFolder(path)) continue;
    RETURN_IF_ERROR(AddImages(path, absl::StrCat(name, "/"), *files));
    files->labels.resize(files->paths.size(), static_cast<int32_t>(label));
  }
  Files directly;
  RETURN_IF_ERROR(AddImages(files->root, "", directly));
  int64_t beside_classes = static_cast<int64_t>(directly.paths.size());
  if (files->paths.empty()) {
    files->paths = std::move(directly.paths);
    files->other_formats = std::move(directly.other_formats);
    beside_classes = 0;
  }
  if (files->paths.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        files->root,
        " holds no data set: neither dataset_info.json, nor IDX files, nor "
        ".jpg or .png files in it or directly in its subfolders",
        files->other_formats.empty()
            ? ""
            : absl::StrCat("; //data:prepare --images converts files such as ",
                           files->other_formats.front())));
  }
  info.name = std::filesystem::path(directory).filename().string();
  info.path = directory;
  info.split = split;
  info.size = static_cast<int64_t>(files->paths.size());
  info.has_labels = !files->labels.empty();
  info.num_classes = static_cast<int64_t>(info.label_names.size());
  info.left_out = LeftOut(*files, beside_classes);
  return Dataset(
      std::move(info),
      [files](int64_t index, RecordScratch& scratch, Record& record) {
        const size_t i = static_cast<size_t>(index);
        auto bytes = ReadFile(JoinPath(files->root, files->paths[i]));
        // One file that vanished or cannot be read is one bad record.
        if (!bytes.ok()) return absl::DataLossError(bytes.status().message());
        scratch.bytes = *std::move(bytes);
        record = {};
        record.encoded = scratch.bytes;
        if (!files->labels.empty()) record.label = files->labels[i];
        return absl::OkStatus();
      },
      [files](int64_t index) {
        return JoinPath(files->root, files->paths[static_cast<size_t>(index)]);
      });
}

}  // namespace xla_byol::input
