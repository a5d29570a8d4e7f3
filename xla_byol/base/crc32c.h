// CRC-32C (Castagnoli), as TFRecord, TensorBoard and our checkpoints use it.

#ifndef XLA_BYOL_BASE_CRC32C_H_
#define XLA_BYOL_BASE_CRC32C_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace xla_byol {

// The CRC of the bytes whose CRC is `crc`, followed by `data`.
uint32_t ExtendCrc32c(uint32_t crc, absl::string_view data);

inline uint32_t Crc32c(absl::string_view data) { return ExtendCrc32c(0, data); }

// TFRecord stores CRCs masked, since the CRC of a string that holds CRCs is
// weak.
inline uint32_t MaskCrc32c(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

namespace internal {
// The table version that ExtendCrc32c falls back to; both are tested.
uint32_t ExtendCrc32cPortable(uint32_t crc, absl::string_view data);
}  // namespace internal

}  // namespace xla_byol

#endif  // XLA_BYOL_BASE_CRC32C_H_
