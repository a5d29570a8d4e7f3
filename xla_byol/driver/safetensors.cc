#include "xla_byol/driver/safetensors.h"

#include "xla_byol/base/json_writer.h"

namespace xla_byol {

std::string SafetensorsHeader(absl::Span<const TensorView> tensors) {
  JsonWriter json;
  json.BeginObject();
  size_t offset = 0;
  for (const TensorView& tensor : tensors) {
    json.Key(tensor.name).BeginObject();
    json.Field("dtype", tensor.dtype);
    json.Key("shape").BeginArray();
    for (const int64_t dim : tensor.dims) json.Value(dim);
    json.EndArray();
    json.Key("data_offsets").BeginArray();
    json.Value(offset).Value(offset + tensor.data.size());
    json.EndArray().EndObject();
    offset += tensor.data.size();
  }
  json.EndObject();
  std::string text = json.text();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string header;
  for (int shift = 0; shift < 64; shift += 8) {
    header += static_cast<char>(uint64_t{text.size()} >> shift);
  }
  return header + text;
}

std::string Safetensors(absl::Span<const TensorView> tensors) {
  std::string file = SafetensorsHeader(tensors);
  for (const TensorView& tensor : tensors) {
    file.append(reinterpret_cast<const char*>(tensor.data.data()),
                tensor.data.size());
  }
  return file;
}

}  // namespace xla_byol
