#include "xla_byol/checkpoint/safetensors.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_byol/base/bytes.h"
#include "xla_byol/base/json_reader.h"
#include "xla_byol/base/json_writer.h"

namespace xla_byol {
namespace {

constexpr size_t kLengthBytes = sizeof(uint64_t);
// As in the format's own reader: no header in use is larger.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;

struct Dtype {
  absl::string_view name;
  int64_t bytes;
};
constexpr Dtype kDtypes[] = {
    {"F32", 4}, {"I64", 8}, {"BF16", 2},    {"F16", 2},     {"F64", 8},
    {"I32", 4}, {"I16", 2}, {"I8", 1},      {"U8", 1},      {"U16", 2},
    {"U32", 4}, {"U64", 8}, {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"BOOL", 1}};

// The bytes of a shape's elements; nothing if that overflows.
std::optional<int64_t> ByteSize(const std::vector<int64_t>& dims,
                                int64_t element_bytes) {
  int64_t size = element_bytes;
  for (const int64_t dim : dims) {
    if (__builtin_mul_overflow(size, dim, &size)) return std::nullopt;
  }
  return size;
}

// One tensor of the header; `data` is all the data.
absl::StatusOr<TensorView> ParseTensor(const std::string& name,
                                       const JsonValue& entry,
                                       absl::Span<const std::byte> data) {
  const JsonValue* dtype = entry.Find("dtype");
  const JsonValue* shape = entry.Find("shape");
  const JsonValue* offsets = entry.Find("data_offsets");
  if (dtype == nullptr || !dtype->is_string() || shape == nullptr ||
      !shape->is_array() || offsets == nullptr || !offsets->is_array() ||
      offsets->elements.size() != 2) {
    return absl::DataLossError("has no dtype, shape and two data_offsets");
  }
  const auto known =
      std::find_if(std::begin(kDtypes), std::end(kDtypes),
                   [&](const Dtype& one) { return one.name == dtype->string; });
  if (known == std::end(kDtypes)) {
    return absl::DataLossError(absl::StrCat("has the unknown type '",
                                            dtype->string.substr(0, 32), "'"));
  }
  TensorView tensor{name, known->name, {}, {}};
  for (const JsonValue& dim : shape->elements) {
    tensor.dims.push_back(dim.Integer().value_or(-1));
    if (tensor.dims.back() < 0) {
      return absl::DataLossError("has a shape that is no list of counts");
    }
  }
  const int64_t begin = offsets->elements[0].Integer().value_or(-1);
  const int64_t end = offsets->elements[1].Integer().value_or(-1);
  const std::optional<int64_t> expected = ByteSize(tensor.dims, known->bytes);
  if (begin < 0 || end < begin || end > static_cast<int64_t>(data.size()) ||
      expected != end - begin) {
    return absl::DataLossError(absl::StrCat(
        "is ", known->name, "[", absl::StrJoin(tensor.dims, ","),
        "], which takes ",
        expected.has_value() ? absl::StrCat(*expected) : "too many",
        " bytes; its data_offsets are [", begin, ",", end, ") of ", data.size(),
        " bytes of data"));
  }
  tensor.data = data.subspan(static_cast<size_t>(begin),
                             static_cast<size_t>(end - begin));
  return tensor;
}

// The tensors, sorted by their data, must cover it.
absl::Status CheckCover(const std::vector<TensorView>& tensors,
                        absl::Span<const std::byte> data) {
  const std::byte* next = data.data();
  for (const TensorView& tensor : tensors) {
    if (tensor.data.data() != next) {
      return absl::DataLossError(absl::StrCat(
          "tensor '", tensor.name, "' begins at ",
          tensor.data.data() - data.data(), " of the data, where ",
          next - data.data(), " is next: tensors overlap or leave a gap"));
    }
    next += tensor.data.size();
  }
  if (next != data.data() + data.size()) {
    return absl::DataLossError(absl::StrCat(
        data.size(), " bytes of data, tensors of ", next - data.data(),
        " bytes: the file is cut or too long"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string SafetensorsHeader(absl::Span<const TensorView> tensors,
                              const SafetensorsMetadata& metadata) {
  JsonWriter json;
  json.BeginObject();
  if (!metadata.empty()) {
    json.Key("__metadata__").BeginObject();
    for (const auto& [key, value] : metadata) json.Field(key, value);
    json.EndObject();
  }
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
  AppendLittleEndian(uint64_t{text.size()}, header);
  return header + text;
}

std::string Safetensors(absl::Span<const TensorView> tensors,
                        const SafetensorsMetadata& metadata) {
  std::string file = SafetensorsHeader(tensors, metadata);
  for (const TensorView& tensor : tensors) {
    file.append(reinterpret_cast<const char*>(tensor.data.data()),
                tensor.data.size());
  }
  return file;
}

const TensorView* SafetensorsFile::Find(absl::string_view name) const {
  const auto found = std::find_if(
      tensors_.begin(), tensors_.end(),
      [name](const TensorView& tensor) { return tensor.name == name; });
  return found == tensors_.end() ? nullptr : &*found;
}

absl::StatusOr<SafetensorsFile> ParseSafetensors(std::string bytes,
                                                 absl::string_view path) {
  const auto error = [path](const absl::Status& status) {
    return absl::DataLossError(
        absl::StrCat("'", path, "': ", status.message()));
  };
  SafetensorsFile file;
  file.bytes_ = std::make_unique<const std::string>(std::move(bytes));
  const std::string& content = *file.bytes_;
  const uint64_t length = content.size() < kLengthBytes
                              ? 0
                              : LoadLittleEndian<uint64_t>(content.data());
  if (content.size() < kLengthBytes || length > kMaxHeaderBytes ||
      length > content.size() - kLengthBytes) {
    return error(absl::DataLossError(
        absl::StrCat("not a safetensors file: a header of ", length,
                     " bytes in a file of ", content.size(), " bytes")));
  }
  const absl::StatusOr<JsonValue> header =
      ParseJson(absl::string_view(content).substr(kLengthBytes, length));
  if (!header.ok()) return error(header.status());
  if (!header->is_object()) {
    return error(absl::DataLossError("the header is not an object"));
  }
  const size_t data_begin = kLengthBytes + static_cast<size_t>(length);
  const absl::Span<const std::byte> data(
      reinterpret_cast<const std::byte*>(content.data()) + data_begin,
      content.size() - data_begin);
  for (size_t i = 0; i < header->names.size(); ++i) {
    const std::string& name = header->names[i];
    const JsonValue& entry = header->elements[i];
    if (name == "__metadata__") {
      for (size_t j = 0; j < entry.names.size(); ++j) {
        if (!entry.elements[j].is_string()) {
          return error(absl::DataLossError(
              absl::StrCat("metadata '", entry.names[j], "' is no text")));
        }
        file.metadata_.emplace_back(entry.names[j], entry.elements[j].string);
      }
      continue;
    }
    absl::StatusOr<TensorView> tensor = ParseTensor(name, entry, data);
    if (!tensor.ok()) {
      return error(absl::DataLossError(
          absl::StrCat("tensor '", name, "' ", tensor.status().message())));
    }
    file.tensors_.push_back(*std::move(tensor));
  }
  // By end as well, so that a tensor without elements precedes its neighbour.
  std::stable_sort(file.tensors_.begin(), file.tensors_.end(),
                   [](const TensorView& a, const TensorView& b) {
                     return std::pair(a.data.data(), a.data.size()) <
                            std::pair(b.data.data(), b.data.size());
                   });
  if (const absl::Status status = CheckCover(file.tensors_, data);
      !status.ok()) {
    return error(status);
  }
  return file;
}

absl::StatusOr<std::vector<float>> FloatsOf(const TensorView& tensor) {
  if (tensor.dtype != "F32") {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor '", tensor.name, "' is ", tensor.dtype, ", expected F32"));
  }
  std::vector<float> values(tensor.data.size() / sizeof(float));
  // Not a cast: nothing says that a tensor begins at a multiple of four bytes.
  if (!values.empty()) {
    std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  }
  return values;
}

}  // namespace xla_byol
