// The safetensors format: named tensors in one file that every framework reads.
//
// Layout: the header's length (8 bytes, little-endian), the header as JSON
// ({name: {"dtype", "shape", "data_offsets": [begin, end]}}), then the data.

#ifndef XLA_BYOL_DRIVER_SAFETENSORS_H_
#define XLA_BYOL_DRIVER_SAFETENSORS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla_byol {

// A tensor to be written; the data is the caller's.
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

// The length and the header for tensors that follow in this order, padded so
// that the data begins at a multiple of eight bytes.
std::string SafetensorsHeader(absl::Span<const TensorView> tensors);

// A whole file in memory.
std::string Safetensors(absl::Span<const TensorView> tensors);

}  // namespace xla_byol

#endif  // XLA_BYOL_DRIVER_SAFETENSORS_H_
