#include "xla_byol/checkpoint/checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/crc32c.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_reader.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/base/version.h"
#include "xla_byol/checkpoint/safetensors.h"

namespace xla_byol {
namespace {

// Goes up with every change that this code's readers would misread.
constexpr int kFormat = 1;
constexpr absl::string_view kOwnCrc = "\"manifest_crc32c\": ";

absl::string_view BytesOf(absl::Span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(float)};
}

std::vector<TensorView> ViewsOf(absl::Span<const StateTensor> layout,
                                const StateValues& values) {
  std::vector<TensorView> views;
  for (size_t i = 0; i < layout.size(); ++i) {
    const graph::Dims& dims = layout[i].shape.dims;
    views.push_back(
        ViewOf<float>(layout[i].path, {dims.begin(), dims.end()}, values[i]));
  }
  return views;
}

// The manifest's last line is a CRC of all before it.
std::string Sealed(absl::string_view text) {
  return absl::StrCat(text, kOwnCrc, Crc32c(text), "\n}\n");
}

std::string Manifest(int64_t step, absl::Span<const StateTensor> layout,
                     const StateValues& values, absl::string_view header) {
  JsonWriter json(2);
  json.BeginObject();
  json.Field("format", kFormat).Field("version", kVersion);
  json.Field("step", step);
  json.Field("header_crc32c", Crc32c(header));
  json.Key("tensors").BeginArray();
  for (size_t i = 0; i < layout.size(); ++i) {
    const absl::string_view bytes = BytesOf(values[i]);
    json.BeginObject().Field("name", layout[i].path);
    json.Field("bytes", bytes.size()).Field("crc32c", Crc32c(bytes));
    json.EndObject();
  }
  json.EndArray();
  return Sealed(absl::StrCat(json.text(), ",\n  "));
}

absl::Status Damaged(const std::string& path, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("'", path, "' is damaged: ", what));
}

struct ManifestTensor {
  std::string name;
  int64_t bytes;
  int64_t crc;
};

struct ParsedManifest {
  int64_t step = 0;
  int64_t header_crc = 0;
  std::vector<ManifestTensor> tensors;
};

absl::StatusOr<ParsedManifest> ReadManifest(const std::string& path) {
  absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return Damaged(path, text.status().message());
  const size_t seal = absl::string_view(*text).rfind(kOwnCrc);
  if (seal == absl::string_view::npos ||
      *text != Sealed(absl::string_view(*text).substr(0, seal))) {
    return Damaged(path, "its own CRC does not fit");
  }
  absl::StatusOr<JsonValue> json = ParseJson(*text);
  if (!json.ok()) return Damaged(path, json.status().message());
  const auto integer = [](const JsonValue& object,
                          const char* key) -> std::optional<int64_t> {
    const JsonValue* value = object.Find(key);
    return value == nullptr ? std::nullopt : value->Integer();
  };
  const int64_t format = integer(*json, "format").value_or(0);
  if (format > kFormat) {
    return absl::FailedPreconditionError(
        absl::StrCat("'", path, "' has checkpoint format ", format,
                     ", this program reads up to ", kFormat,
                     "; use the newer version of xla_byol that wrote it"));
  }
  if (format != kFormat) {
    return Damaged(path, absl::StrCat("its format is not ", kFormat));
  }
  ParsedManifest manifest;
  manifest.step = integer(*json, "step").value_or(-1);
  manifest.header_crc = integer(*json, "header_crc32c").value_or(-1);
  const JsonValue* tensors = json->Find("tensors");
  if (manifest.step < 0 || tensors == nullptr) {
    return Damaged(path, "step or tensors are missing");
  }
  for (const JsonValue& tensor : tensors->elements) {
    const JsonValue* name = tensor.Find("name");
    manifest.tensors.push_back({name == nullptr ? "" : name->string,
                                integer(tensor, "bytes").value_or(-1),
                                integer(tensor, "crc32c").value_or(-1)});
  }
  return manifest;
}

// The first way in which the state's tensors differ from a config's.
absl::Status CheckLayout(const SafetensorsFile& file,
                         absl::Span<const StateTensor> layout,
                         const std::string& path) {
  const auto differs = [&](absl::string_view what) {
    return absl::FailedPreconditionError(
        absl::StrCat("'", path, "' belongs to another config: ", what));
  };
  for (const StateTensor& tensor : layout) {
    const TensorView* found = file.Find(tensor.path);
    if (found == nullptr) {
      return differs(absl::StrCat("it has no tensor '", tensor.path, "'"));
    }
    if (!std::equal(found->dims.begin(), found->dims.end(),
                    tensor.shape.dims.begin(), tensor.shape.dims.end())) {
      return differs(absl::StrCat("its tensor '", tensor.path, "' is not ",
                                  tensor.shape.ToString()));
    }
  }
  if (file.tensors().size() != layout.size()) {
    return differs(absl::StrCat("it has ", file.tensors().size(),
                                " tensors, the config ", layout.size()));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<size_t> NotFinite(const StateValues& values) {
  std::vector<size_t> lost;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::all_of(values[i].begin(), values[i].end(),
                     [](float value) { return std::isfinite(value); })) {
      lost.push_back(i);
    }
  }
  return lost;
}

absl::Status WriteCheckpoint(const std::string& folder, int64_t step,
                             absl::Span<const StateTensor> layout,
                             const StateValues& values) {
  if (const std::vector<size_t> lost = NotFinite(values); !lost.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("tensor '", layout[lost[0]].path, "' is not finite"));
  }
  const std::filesystem::path target(folder);
  const std::string parent = target.parent_path().string();
  const std::string temporary = JoinPath(
      parent, absl::StrCat(kUnfinishedPrefix, target.filename().string()));
  std::error_code error;
  std::filesystem::remove_all(temporary, error);
  RETURN_IF_ERROR(MakeDirectories(temporary));

  const std::string header = SafetensorsHeader(ViewsOf(layout, values));
  std::vector<absl::string_view> parts = {header};
  for (const std::vector<float>& tensor : values) {
    parts.push_back(BytesOf(tensor));
  }
  absl::Status status = [&] {
    RETURN_IF_ERROR(WriteFileDurably(JoinPath(temporary, kStateFile), parts));
    const std::string manifest = Manifest(step, layout, values, header);
    RETURN_IF_ERROR(
        WriteFileDurably(JoinPath(temporary, kManifestFile), {manifest}));
    RETURN_IF_ERROR(SyncDirectory(temporary));
    if (std::rename(temporary.c_str(), folder.c_str()) != 0) {
      return ErrnoToStatus(errno, absl::StrCat("cannot make '", folder, "'"));
    }
    return SyncDirectory(parent);
  }();
  // A full disk should not stay full of halves.
  if (!status.ok()) std::filesystem::remove_all(temporary, error);
  return status;
}

absl::StatusOr<Checkpoint> ReadCheckpoint(
    const std::string& folder, absl::Span<const StateTensor> layout) {
  ASSIGN_OR_RETURN(const ParsedManifest manifest,
                   ReadManifest(JoinPath(folder, kManifestFile)));
  const std::string path = JoinPath(folder, kStateFile);
  absl::StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return Damaged(path, bytes.status().message());

  // CRCs before anything else, so that a flipped byte in the header is not
  // taken for another config's.
  size_t data_bytes = 0;
  for (const ManifestTensor& tensor : manifest.tensors) {
    data_bytes += static_cast<size_t>(std::max<int64_t>(tensor.bytes, 0));
  }
  if (bytes->size() < data_bytes) {
    return Damaged(path,
                   absl::StrCat("it has ", bytes->size(),
                                " bytes, its tensors alone ", data_bytes));
  }
  absl::string_view rest = *bytes;
  const size_t header_bytes = rest.size() - data_bytes;
  if (Crc32c(rest.substr(0, header_bytes)) != manifest.header_crc) {
    return Damaged(path, "the header's CRC does not fit");
  }
  rest.remove_prefix(header_bytes);
  for (const ManifestTensor& tensor : manifest.tensors) {
    const size_t size = static_cast<size_t>(tensor.bytes);
    if (Crc32c(rest.substr(0, size)) != tensor.crc) {
      return Damaged(path, absl::StrCat("the CRC of tensor '", tensor.name,
                                        "' does not fit"));
    }
    rest.remove_prefix(size);
  }

  ASSIGN_OR_RETURN(const SafetensorsFile file,
                   ParseSafetensors(*std::move(bytes), path));
  RETURN_IF_ERROR(CheckLayout(file, layout, path));
  Checkpoint checkpoint{.step = manifest.step};
  for (const StateTensor& tensor : layout) {
    ASSIGN_OR_RETURN(std::vector<float> values,
                     FloatsOf(*file.Find(tensor.path)));
    checkpoint.values.push_back(std::move(values));
  }
  return checkpoint;
}

}  // namespace xla_byol
