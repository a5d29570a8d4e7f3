#include "xla_byol/input/permutation.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "xla_byol/base/philox.h"

namespace xla_byol::input {
namespace {

// Keeps the round keys' counters apart from those of draws.cc, whose last word
// is small.
constexpr uint32_t kPermutationDomain = 0x50455220;

// Narrower blocks have too few different orders to be fair to every record; a
// data set of five records walks a longer cycle instead.
constexpr int kMinBits = 8;

uint64_t Mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccd;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53;
  x ^= x >> 33;
  return x;
}

}  // namespace

Permutation::Permutation(uint64_t seed, uint64_t epoch, uint64_t size)
    : size_(size) {
  const int bits = std::max<int>(kMinBits, std::bit_width(size - 1));
  low_bits_ = bits / 2;
  high_bits_ = bits - low_bits_;
  for (uint32_t round = 0; round < kRounds; ++round) {
    const PhiloxBlock words = Philox(
        seed, {static_cast<uint32_t>(epoch), static_cast<uint32_t>(epoch >> 32),
               round, kPermutationDomain});
    round_keys_[round] = uint64_t{words[0]} << 32 | words[1];
  }
}

uint64_t Permutation::Encrypt(uint64_t value) const {
  int low_bits = low_bits_;
  int high_bits = high_bits_;
  uint64_t low = value & ((uint64_t{1} << low_bits) - 1);
  uint64_t high = value >> low_bits;
  for (uint64_t key : round_keys_) {
    const uint64_t mask = (uint64_t{1} << high_bits) - 1;
    const uint64_t next = high ^ (Mix(low ^ key) & mask);
    high = low;
    low = next;
    std::swap(low_bits, high_bits);
  }
  return high << low_bits | low;
}

uint64_t Permutation::At(uint64_t position) const {
  // Walking the cycle until it is back inside the range restricts the bijection
  // over the power of two to one over size; two steps on average, or fewer.
  uint64_t value = position;
  do {
    value = Encrypt(value);
  } while (value >= size_);
  return value;
}

}  // namespace xla_byol::input
