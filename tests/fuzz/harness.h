// One function for each format that comes from files nobody vouches for. Each
// takes any bytes, and must neither crash nor read where it should not; what
// it accepts must hold together.

#ifndef XLA_BYOL_TESTS_FUZZ_HARNESS_H_
#define XLA_BYOL_TESTS_FUZZ_HARNESS_H_

#include <vector>

#include "absl/strings/string_view.h"

namespace xla_byol {

void FuzzTfRecord(absl::string_view bytes);
void FuzzTfExample(absl::string_view bytes);
void FuzzJson(absl::string_view bytes);
void FuzzIdx(absl::string_view bytes);
void FuzzJpeg(absl::string_view bytes);
void FuzzPng(absl::string_view bytes);
void FuzzMetrics(absl::string_view bytes);
void FuzzSafetensors(absl::string_view bytes);

struct Harness {
  const char* name;  // Also of its folder of examples, and its fuzzer.
  void (*run)(absl::string_view bytes);
};

const std::vector<Harness>& AllHarnesses();

}  // namespace xla_byol

#endif  // XLA_BYOL_TESTS_FUZZ_HARNESS_H_
