// The images that a config trains on.

#ifndef XLA_BYOL_TRAINING_TRAINING_DATA_H_
#define XLA_BYOL_TRAINING_TRAINING_DATA_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/input/dataset.h"
#include "xla_byol/input/loader.h"
#include "xla_byol/runtime/process_place.h"
#include "xla_byol/training/bound_step.h"

namespace xla_byol {

// The loader of a config's training images, from step `first_step` on, with
// `threads` threads (0: one for each core).
absl::StatusOr<std::unique_ptr<input::Loader>> MakeTrainingLoader(
    const Config& config, const input::Dataset& dataset,
    const ProcessPlace& place, int threads, int64_t first_step);

// A batch as the step takes it: one for each device, in the loader's memory.
std::vector<HostBatch> HostBatches(const input::BatchBuffer& batch);

// Says in which way a config does not fit a data set.
absl::Status CheckDataset(const Config& config, const input::Dataset& dataset);

}  // namespace xla_byol

#endif  // XLA_BYOL_TRAINING_TRAINING_DATA_H_
