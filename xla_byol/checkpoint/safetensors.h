// The safetensors format: named tensors in one file that every framework reads.
//
// Layout: the header's length (8 bytes, little-endian), the header as JSON
// ({name: {"dtype", "shape", "data_offsets": [begin, end]}}, and under
// "__metadata__" texts), then the data.

#ifndef XLA_BYOL_CHECKPOINT_SAFETENSORS_H_
#define XLA_BYOL_CHECKPOINT_SAFETENSORS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla_byol {

// A tensor in someone else's memory: the caller's or a SafetensorsFile's.
struct TensorView {
  std::string name;
  absl::string_view dtype;  // safetensors' names: F32, BF16, I32, U8, ...
  std::vector<int64_t> dims;
  absl::Span<const std::byte> data;  // dense, little-endian
};

template <typename T>
TensorView ViewOf(std::string name, std::vector<int64_t> dims,
                  absl::Span<const T> values) {
  static_assert(sizeof(T) == 1 || sizeof(T) == 4);
  constexpr absl::string_view kDtype = sizeof(T) == 1 ? "U8"
                                       : T(0.5) == 0  ? "I32"
                                                      : "F32";
  return {std::move(name),
          kDtype,
          std::move(dims),
          {reinterpret_cast<const std::byte*>(values.data()),
           values.size() * sizeof(T)}};
}

using SafetensorsMetadata = std::vector<std::pair<std::string, std::string>>;

// The length and the header for tensors that follow in this order, padded so
// that the data begins at a multiple of eight bytes.
std::string SafetensorsHeader(absl::Span<const TensorView> tensors,
                              const SafetensorsMetadata& metadata = {});

// A whole file in memory.
std::string Safetensors(absl::Span<const TensorView> tensors,
                        const SafetensorsMetadata& metadata = {});

// A file that was read, and owns its data. Moving it keeps the views valid.
class SafetensorsFile {
 public:
  SafetensorsFile(SafetensorsFile&&) = default;
  SafetensorsFile& operator=(SafetensorsFile&&) = default;

  // In the order of their data.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  // Null if there is none.
  const TensorView* Find(absl::string_view name) const;
  const SafetensorsMetadata& metadata() const { return metadata_; }

 private:
  friend absl::StatusOr<SafetensorsFile> ParseSafetensors(std::string,
                                                          absl::string_view);
  SafetensorsFile() = default;

  std::unique_ptr<const std::string> bytes_;
  std::vector<TensorView> tensors_;  // views of bytes_
  SafetensorsMetadata metadata_;
};

// Everything in a file is checked: the header's length and grammar, known
// types, each tensor's size against its shape, and that the tensors cover the
// data without gap or overlap. DataLoss names `path` and the tensor.
absl::StatusOr<SafetensorsFile> ParseSafetensors(std::string bytes,
                                                 absl::string_view path);

// The values of an F32 tensor; InvalidArgument for another type.
absl::StatusOr<std::vector<float>> FloatsOf(const TensorView& tensor);

}  // namespace xla_byol

#endif  // XLA_BYOL_CHECKPOINT_SAFETENSORS_H_
