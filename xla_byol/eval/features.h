// Features of images: the encoder, frozen, with its running statistics.

#ifndef XLA_BYOL_EVAL_FEATURES_H_
#define XLA_BYOL_EVAL_FEATURES_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/checkpoint/checkpoint.h"
#include "xla_byol/input/dataset.h"
#include "xla_byol/input/loader.h"
#include "xla_byol/runtime/bound_program.h"
#include "xla_byol/runtime/device_program.h"
#include "xla_byol/step/state.h"

namespace xla_byol {

struct Features {
  int64_t dimension = 0;
  std::vector<float> values;    // [size, dimension]
  std::vector<int32_t> labels;  // -1: none

  int64_t size() const { return static_cast<int64_t>(labels.size()); }
  absl::Span<const float> row(int64_t i) const {
    return {values.data() + i * dimension, static_cast<size_t>(dimension)};
  }
  void Append(const Features& more);
  // Rows [begin, begin + count); those beyond the end are 0 and have no label.
  Features Part(int64_t begin, int64_t count) const;
  // Scales each row to length 1.
  void NormalizeRows();
};

// Called now and then with how many of how many images are done. What is not OK
// ends the work and is its result.
using ImageProgress = absl::FunctionRef<absl::Status(int64_t, int64_t)>;

// Move-only. The runtime must outlive it.
class FeatureExtractor {
 public:
  // Compiles the encoder for batches of `device_batch` images a device.
  static absl::StatusOr<FeatureExtractor> Create(const Runtime& runtime,
                                                 const Config& config,
                                                 int64_t device_batch);

  // The encoder of this state; needed before anything is encoded.
  absl::Status SetWeights(absl::Span<const StateTensor> layout,
                          const StateValues& values);

  int64_t dimension() const;
  int64_t batch() const;  // over all devices

  // Each image's centre crop, in the data set's order. Bad records are left
  // out.
  absl::StatusOr<Features> EncodeAll(const input::Dataset& dataset,
                                     ImageProgress progress);

  // Options for a loader of this encoder's images.
  input::LoaderOptions loader_options() const;
  // View 1 of a batch that a loader with those options made.
  absl::StatusOr<Features> EncodeBatch(const input::BatchBuffer& batch);

 private:
  FeatureExtractor(const Runtime& runtime, const Config& config,
                   std::unique_ptr<const DeviceProgram> encode)
      : runtime_(runtime),
        config_(config),
        program_(std::move(encode)),
        encode_(program_->Bind()) {}

  const graph::Shape& output() const;

  Runtime runtime_;
  Config config_;
  std::unique_ptr<const DeviceProgram> program_;  // encode_ points at it
  BoundProgram encode_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_EVAL_FEATURES_H_
