// Element types and array shapes as PJRT sees them: what a buffer holds.

#ifndef XLA_BYOL_PJRT_ARRAY_SPEC_H_
#define XLA_BYOL_PJRT_ARRAY_SPEC_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla_byol::pjrt {

// Values are PJRT_Buffer_Type's (checked in array_spec.cc).
enum class ElementType : uint8_t {
  kPred = 1,
  kS8 = 2,
  kS16 = 3,
  kS32 = 4,
  kS64 = 5,
  kU8 = 6,
  kU16 = 7,
  kU32 = 8,
  kU64 = 9,
  kF16 = 10,
  kF32 = 11,
  kF64 = 12,
  kBf16 = 13,
};

// HLO's names: "f32", "bf16", "pred", ...
absl::string_view ElementTypeName(ElementType type);
absl::StatusOr<ElementType> ElementTypeFromName(absl::string_view name);
// Bytes of one element; pred takes one.
int64_t ByteWidth(ElementType type);

// The element type of a C++ type. bf16 and f16 have none in C++20: their bits
// travel as uint16_t with an explicit ElementType.
template <typename T>
constexpr ElementType ElementTypeOf() {
  if constexpr (std::is_same_v<T, float>) return ElementType::kF32;
  if constexpr (std::is_same_v<T, double>) return ElementType::kF64;
  if constexpr (std::is_same_v<T, bool>) return ElementType::kPred;
  if constexpr (std::is_same_v<T, int8_t>) return ElementType::kS8;
  if constexpr (std::is_same_v<T, int16_t>) return ElementType::kS16;
  if constexpr (std::is_same_v<T, int32_t>) return ElementType::kS32;
  if constexpr (std::is_same_v<T, int64_t>) return ElementType::kS64;
  if constexpr (std::is_same_v<T, uint8_t>) return ElementType::kU8;
  if constexpr (std::is_same_v<T, uint16_t>) return ElementType::kU16;
  if constexpr (std::is_same_v<T, uint32_t>) return ElementType::kU32;
  if constexpr (std::is_same_v<T, uint64_t>) return ElementType::kU64;
}

// A dense array, major to minor: ArraySpec{ElementType::kF32, {8, 3}}.
struct ArraySpec {
  using Dims = absl::InlinedVector<int64_t, 4>;

  ElementType type = ElementType::kF32;
  Dims dims;

  int64_t element_count() const;
  int64_t byte_size() const { return element_count() * ByteWidth(type); }
  // "f32[8,3]"; a scalar is "f32[]".
  std::string ToString() const;

  friend bool operator==(const ArraySpec& a, const ArraySpec& b) {
    return a.type == b.type && a.dims == b.dims;
  }
  template <typename H>
  friend H AbslHashValue(H h, const ArraySpec& spec) {
    return H::combine(std::move(h), spec.type, spec.dims);
  }
};

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_ARRAY_SPEC_H_
