// Numbers for tests that look random and are always the same.

#ifndef XLA_BYOL_TESTS_STEP_NOISE_H_
#define XLA_BYOL_TESTS_STEP_NOISE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "xla_byol/base/philox.h"

namespace xla_byol {

// Uniform in [-1, 1); every `key` gives others.
inline std::vector<float> Noise(size_t size, uint64_t key) {
  std::vector<float> values(size);
  for (size_t i = 0; i < size; ++i) {
    values[i] = static_cast<float>(
        2 * UnitUniform(Philox(key, {static_cast<uint32_t>(i), 0, 0, 0})[0]) -
        1);
  }
  return values;
}

}  // namespace xla_byol

#endif  // XLA_BYOL_TESTS_STEP_NOISE_H_
