// What linear probes are trained on: an endless, shuffled stream of features,
// of which every batch is the same on any number of devices and processes.

#ifndef XLA_BYOL_EVAL_PROBE_SOURCE_H_
#define XLA_BYOL_EVAL_PROBE_SOURCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/eval/features.h"
#include "xla_byol/input/dataset.h"
#include "xla_byol/input/loader.h"
#include "xla_byol/input/permutation.h"
#include "xla_byol/runtime/bound_program.h"
#include "xla_byol/runtime/device_program.h"

namespace xla_byol {

class ProbeSource {
 public:
  virtual ~ProbeSource() = default;

  // `step` is BuildProbeStep's, which takes the batches and must outlive this.
  virtual absl::Status Attach(BoundProgram& step) = 0;
  // Puts the next batch in the step's inputs `features` and `labels`. All
  // processes take part.
  virtual absl::Status Next() = 0;
};

// An order of features in memory, epoch after epoch, each in its own. Of those
// that other processes have, it has zeros.
class FeatureShuffle {
 public:
  // The features must outlive it.
  FeatureShuffle(const Features& features, uint64_t seed);

  // The next rows of all processes, in order; what is not here is 0 and has no
  // label.
  Features Next(int64_t rows);

 private:
  const Features& features_;
  const uint64_t seed_;
  uint64_t next_ = 0;
  input::Permutation order_;
  std::vector<int64_t> rows_;  // by place; -1: not here
};

// Features in memory. Each process has a share of them, in any order; each
// batch's rows are dealt to the devices by a program (BuildDealRows).
class ShuffledFeatures : public ProbeSource {
 public:
  // Runtime and features must outlive it.
  ShuffledFeatures(const Runtime& runtime, const Features& features,
                   uint64_t seed)
      : runtime_(runtime), shuffle_(features, seed) {}

  absl::Status Attach(BoundProgram& step) override;
  absl::Status Next() override;

 private:
  const Runtime runtime_;
  FeatureShuffle shuffle_;
  BoundProgram* step_ = nullptr;
  std::unique_ptr<const DeviceProgram> program_;  // null: one device in all
  std::optional<BoundProgram> deal_;
};

// New random crops of images in every epoch, encoded where the probe is: each
// process reads its rows of a batch, and features never leave the device.
class RandomCrops : public ProbeSource {
 public:
  // All must outlive it.
  RandomCrops(const Runtime& runtime, const Config& config,
              FeatureExtractor& extractor, input::Dataset images, uint64_t seed)
      : runtime_(runtime),
        config_(config),
        extractor_(extractor),
        images_(std::move(images)),
        seed_(seed) {}

  absl::Status Attach(BoundProgram& step) override;
  absl::Status Next() override;

 private:
  const Runtime runtime_;
  const Config& config_;
  FeatureExtractor& extractor_;
  const input::Dataset images_;
  const uint64_t seed_;
  std::unique_ptr<input::Loader> loader_;
  BoundProgram* step_ = nullptr;
  std::unique_ptr<const DeviceProgram> program_;
  std::optional<BoundProgram> encode_;
  int64_t rows_ = 0;   // of a batch, on each device
  int64_t chunk_ = 0;  // encoded at once; divides rows_
};

}  // namespace xla_byol

#endif  // XLA_BYOL_EVAL_PROBE_SOURCE_H_
