// libFuzzer's entry; XLA_BYOL_HARNESS names the harness. Built by tools/fuzz.

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  xla_byol::XLA_BYOL_HARNESS(
      absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
