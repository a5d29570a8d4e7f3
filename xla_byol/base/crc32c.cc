#include "xla_byol/base/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace xla_byol {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78u;  // reflected 0x1EDC6F41

// kTables[k][b]: the CRC of byte b followed by k zero bytes ("slicing by 8").
constexpr std::array<std::array<uint32_t, 256>, 8> MakeTables() {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    }
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}

constexpr auto kTables = MakeTables();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t ExtendCrc32cSse42(
    uint32_t crc, absl::string_view data) {
  const char* p = data.data();
  size_t n = data.size();
  uint64_t state = crc ^ 0xffffffffu;
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, sizeof(word));
    state = _mm_crc32_u64(state, word);
  }
  uint32_t tail = static_cast<uint32_t>(state);
  for (; n > 0; --n, ++p) {
    tail = _mm_crc32_u8(tail, static_cast<unsigned char>(*p));
  }
  return tail ^ 0xffffffffu;
}
#endif

}  // namespace

namespace internal {

uint32_t ExtendCrc32cPortable(uint32_t crc, absl::string_view data) {
  const char* p = data.data();
  size_t n = data.size();
  uint32_t state = crc ^ 0xffffffffu;
  const auto byte = [&p](size_t i) { return static_cast<unsigned char>(p[i]); };
  for (; n >= 8; n -= 8, p += 8) {
    uint32_t next = 0;
    for (size_t i = 0; i < 4; ++i) {
      next ^= kTables[7 - i][byte(i) ^ ((state >> (8 * i)) & 0xff)];
      next ^= kTables[3 - i][byte(i + 4)];
    }
    state = next;
  }
  for (; n > 0; --n, ++p) {
    state = (state >> 8) ^ kTables[0][(state ^ byte(0)) & 0xff];
  }
  return state ^ 0xffffffffu;
}

}  // namespace internal

uint32_t ExtendCrc32c(uint32_t crc, absl::string_view data) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return ExtendCrc32cSse42(crc, data);
#endif
  return internal::ExtendCrc32cPortable(crc, data);
}

}  // namespace xla_byol
