// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
// as 1, 2, 3", SC'11): a function from (key, counter) to four random words. It
// has no state, so any thread on any host gets the same numbers for the same
// question, in any order.

#ifndef XLA_BYOL_BASE_PHILOX_H_
#define XLA_BYOL_BASE_PHILOX_H_

#include <array>
#include <cstdint>

namespace xla_byol {

using PhiloxBlock = std::array<uint32_t, 4>;

constexpr PhiloxBlock Philox(uint64_t key, PhiloxBlock counter) {
  uint32_t key0 = static_cast<uint32_t>(key);
  uint32_t key1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53} * counter[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key0,
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key1,
               static_cast<uint32_t>(product0)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

// Uniform in [0, 1), in steps of 2^-32.
constexpr double UnitUniform(uint32_t word) { return word * 0x1p-32; }

// Uniform over {0, ..., count - 1}; count >= 1. Each value's probability is
// within 2^-32 of 1 / count.
constexpr uint32_t UniformBelow(uint32_t word, uint32_t count) {
  return static_cast<uint32_t>((uint64_t{word} * count) >> 32);
}

}  // namespace xla_byol

#endif  // XLA_BYOL_BASE_PHILOX_H_
