// The tensors that a step's case is compared by, on their way to files.

#ifndef XLA_BYOL_TESTS_STEP_CASE_TENSORS_H_
#define XLA_BYOL_TESTS_STEP_CASE_TENSORS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "xla_byol/checkpoint/safetensors.h"

namespace xla_byol {

// What a case's files hold. Growing vectors of vectors moves the inner ones
// without moving their data, so that views of them stay good.
class CaseTensors {
 public:
  absl::Span<const float> Keep(std::vector<TensorView>& file,
                               const std::string& name,
                               const std::vector<int64_t>& dims,
                               std::vector<float> values) {
    floats_.push_back(std::move(values));
    file.push_back(ViewOf<float>(name, dims, floats_.back()));
    return floats_.back();
  }
  absl::Span<const uint8_t> KeepPixels(const std::string& name,
                                       const std::vector<int64_t>& dims,
                                       std::vector<uint8_t> values) {
    bytes_.push_back(std::move(values));
    in.push_back(ViewOf<uint8_t>(name, dims, bytes_.back()));
    return bytes_.back();
  }
  absl::Span<const int32_t> KeepLabels(const std::string& name,
                                       std::vector<int32_t> values) {
    integers_.push_back(std::move(values));
    in.push_back(
        ViewOf<int32_t>(name, {static_cast<int64_t>(integers_.back().size())},
                        integers_.back()));
    return integers_.back();
  }

  std::vector<TensorView> in, ours;

 private:
  std::vector<std::vector<float>> floats_;
  std::vector<std::vector<uint8_t>> bytes_;
  std::vector<std::vector<int32_t>> integers_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_TESTS_STEP_CASE_TENSORS_H_
