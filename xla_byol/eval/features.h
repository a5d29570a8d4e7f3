// Features of images: the encoder, frozen, with its running statistics.

#ifndef XLA_BYOL_EVAL_FEATURES_H_
#define XLA_BYOL_EVAL_FEATURES_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/checkpoint/checkpoint.h"
#include "xla_byol/eval/evaluation.h"
#include "xla_byol/input/dataset.h"
#include "xla_byol/input/loader.h"
#include "xla_byol/runtime/bound_program.h"
#include "xla_byol/runtime/device_program.h"
#include "xla_byol/step/state.h"

namespace xla_byol {

// How the rows of a data set are dealt to processes: `block` rows to the first,
// as many to the next, and again from the first.
struct RowDeal {
  int64_t block = 1;
  int processes = 1;

  // The largest share that a process may have of `total` rows: a number on
  // which all agree.
  int64_t LargestShare(int64_t total) const;
};

// This process's rows, which are all of them if it is alone.
struct Features {
  int64_t dimension = 0;
  std::vector<float> values;    // [size, dimension]
  std::vector<int32_t> labels;  // -1: none
  // Where each row stands among those of all processes, ascending; a row that
  // nobody has was a bad record. Empty: 0, 1, ...
  std::vector<int64_t> places = {};
  // Places there are; with `places` only.
  int64_t all_places = 0;
  RowDeal deal = {};

  int64_t size() const { return static_cast<int64_t>(labels.size()); }
  // Of all processes.
  int64_t total() const {
    return places.empty() ? std::max(all_places, size()) : all_places;
  }
  int64_t place(int64_t i) const {
    return places.empty() ? i : places[static_cast<size_t>(i)];
  }
  int64_t LargestShare() const { return deal.LargestShare(total()); }
  absl::Span<const float> row(int64_t i) const {
    return {values.data() + i * dimension, static_cast<size_t>(dimension)};
  }
  // Those of the first `count` places.
  Features First(int64_t count) const;
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
  static absl::StatusOr<FeatureExtractor> Create(
      const Runtime& runtime, const Config& config, int64_t device_batch,
      FeatureSource source = FeatureSource::kEncoder);

  // The encoder of this state; needed before anything is encoded, but for
  // pixels.
  absl::Status SetWeights(absl::Span<const StateTensor> layout,
                          const StateValues& values);

  int64_t dimension() const;
  int64_t batch() const;  // over all devices of all processes

  // The centre crops of this process's share of the images, in the data set's
  // order. Bad records are left out. All processes take part.
  absl::StatusOr<Features> EncodeAll(const input::Dataset& dataset,
                                     ImageProgress progress);

  // Options for a loader of this encoder's images: of this process's share of
  // batches of batch() images.
  input::LoaderOptions loader_options() const;
  // With the weights among its inputs, for programs that share them.
  BoundProgram& program() { return encode_; }

 private:
  FeatureExtractor(const Runtime& runtime, const Config& config,
                   std::unique_ptr<const DeviceProgram> encode)
      : runtime_(runtime),
        config_(config),
        program_(std::move(encode)),
        encode_(program_->Bind()) {}

  const graph::Shape& output() const;
  // Adds the features of a batch whose first row has place `first`.
  absl::Status EncodeBatch(const input::BatchBuffer& batch, int64_t first,
                           Features& features);

  Runtime runtime_;
  Config config_;
  std::unique_ptr<const DeviceProgram> program_;  // encode_ points at it
  BoundProgram encode_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_EVAL_FEATURES_H_
