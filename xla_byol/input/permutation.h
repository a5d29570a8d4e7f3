// The order of an epoch: a keyed bijection over {0, ..., size - 1}.
//
// A shuffle buffer holds only part of an epoch, and its content must be saved
// to resume. A bijection needs no buffer and no state: the record at position p
// is At(p), for any p, so training starts at any step at once and every host
// and thread computes the same order. Construction and At() are O(1).

#ifndef XLA_BYOL_INPUT_PERMUTATION_H_
#define XLA_BYOL_INPUT_PERMUTATION_H_

#include <array>
#include <cstdint>

namespace xla_byol::input {

class Permutation {
 public:
  // size >= 1. Two epochs, or two seeds, give unrelated orders.
  Permutation(uint64_t seed, uint64_t epoch, uint64_t size);

  uint64_t size() const { return size_; }

  // position < size().
  uint64_t At(uint64_t position) const;

 private:
  // Even, so that the two halves end with the widths they began with. Four
  // rounds are enough in theory for wide halves; data sets of a few hundred
  // records have halves of four bits and want more.
  static constexpr int kRounds = 10;

  uint64_t Encrypt(uint64_t value) const;

  uint64_t size_;
  int low_bits_;   // Widths of the two halves of a Feistel block: together the
  int high_bits_;  // least number of bits (8 or more) that can hold size - 1.
  std::array<uint64_t, kRounds> round_keys_;
};

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_PERMUTATION_H_
