#include "xla_byol/reporting/feature_details_file.h"

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_reader.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/reporting/png_encoder.h"

namespace xla_byol {
namespace {

template <typename T>
void WriteArray(absl::string_view key, const std::vector<T>& values,
                JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const T& value : values) json.Value(value);
  json.EndArray();
}

void WriteConfusion(const FeatureDetails& details, JsonWriter& json) {
  json.Key("confusion").BeginArray();
  for (int64_t row = 0; row < details.classes; ++row) {
    json.BeginArray();
    for (int64_t column = 0; column < details.classes; ++column) {
      json.Value(
          details
              .confusion[static_cast<size_t>(row * details.classes + column)]);
    }
    json.EndArray();
  }
  json.EndArray();
}

void WriteMap(const FeatureMap& map, JsonWriter& json) {
  json.Key("map").BeginObject();
  WriteArray("x", map.x, json);
  WriteArray("y", map.y, json);
  WriteArray("label", map.labels, json);
  json.Key("explained").BeginArray();
  for (const double share : map.explained) json.Value(share);
  json.EndArray().EndObject();
}

absl::Status WriteGallery(const FeatureDetails& details, JsonWriter& json) {
  const int columns = static_cast<int>(details.gallery[0].size());
  const PictureGrid grid = MakePictureGrid(
      details.pictures, {details.picture_size, details.picture_size},
      details.channels, columns);
  ASSIGN_OR_RETURN(const std::string png, EncodePng(grid.view()));
  json.Key("gallery").BeginObject();
  json.Field("size", details.picture_size).Field("columns", columns);
  json.Field("picture",
             absl::StrCat("data:image/png;base64,", absl::Base64Escape(png)));
  json.Key("rows").BeginArray();
  for (const GalleryRow& row : details.gallery) {
    std::vector<int32_t> labels;
    std::vector<float> cosines;
    for (const Neighbour& one : row) {
      labels.push_back(one.label);
      cosines.push_back(one.cosine);
    }
    json.BeginObject();
    WriteArray("labels", labels, json);
    WriteArray("cosines", cosines, json);
    json.EndObject();
  }
  json.EndArray().EndObject();
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteFeatureDetails(const FeatureDetails& details, int64_t step,
                                 const std::string& run_dir) {
  JsonWriter json;
  json.BeginObject();
  json.Field("step", step);
  WriteArray("classes", details.class_names, json);
  if (!details.confusion.empty()) WriteConfusion(details, json);
  if (!details.map.x.empty()) WriteMap(details.map, json);
  if (!details.gallery.empty()) RETURN_IF_ERROR(WriteGallery(details, json));
  json.EndObject();
  return WriteFileAtomically(JoinPath(run_dir, kFeaturesFile),
                             absl::StrCat(json.text(), "\n"));
}

std::string ReadFeatureDetails(const std::string& run_dir) {
  const std::string path = JoinPath(run_dir, kFeaturesFile);
  absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return "";
  const absl::StatusOr<JsonValue> value = ParseJson(*text);
  if (value.ok() && value->is_object()) return *std::move(text);
  LogWarning(absl::StrCat(
      "'", path, "' is left out of the report: ",
      value.ok() ? "it is no JSON object" : value.status().message()));
  return "";
}

}  // namespace xla_byol
