// One checkpoint: a folder with the whole state of a run after some steps.
//
//   checkpoints/step-00001234/
//     state.safetensors   every tensor under its path, in the state's order
//     manifest.json       format, step, sizes and a CRC-32C for each tensor
//
// A folder that has its name is complete: it is written under another name and
// renamed when all of it is on the disk. Every byte of both files is covered by
// a check, so that damage is noticed whatever it hits. Whatever the format, the
// manifest holds "format" and ends with its own CRC, so that an older program
// can tell a newer checkpoint from a damaged one.

#ifndef XLA_BYOL_CHECKPOINT_CHECKPOINT_H_
#define XLA_BYOL_CHECKPOINT_CHECKPOINT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/step/state.h"

namespace xla_byol {

// The state in host memory: one list of values for each tensor of the layout.
using StateValues = std::vector<std::vector<float>>;

struct Checkpoint {
  int64_t step = 0;  // finished steps
  StateValues values;
};

// The tensors that hold an infinity or NaN, by their place in the layout.
std::vector<size_t> NotFinite(const StateValues& values);

// Makes `folder`, which must not exist. The name before the rename begins with
// kUnfinishedPrefix; what a killed process left under it is replaced. On error
// nothing has the folder's name. A tensor that is not finite is
// FailedPrecondition: a state that is lost is not worth keeping.
absl::Status WriteCheckpoint(const std::string& folder, int64_t step,
                             absl::Span<const StateTensor> layout,
                             const StateValues& values);

// Reads and checks everything. DataLoss names the file and the tensor that is
// damaged; FailedPrecondition the first tensor that `layout` has differently,
// as another config's checkpoint would, or the version of a newer format.
absl::StatusOr<Checkpoint> ReadCheckpoint(const std::string& folder,
                                          absl::Span<const StateTensor> layout);

}  // namespace xla_byol

#endif  // XLA_BYOL_CHECKPOINT_CHECKPOINT_H_
