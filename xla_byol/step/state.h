// The state of training: which tensors there are, in which order the step's
// program takes and returns them, and how they start. Paths are those of
// checkpoints.

#ifndef XLA_BYOL_STEP_STATE_H_
#define XLA_BYOL_STEP_STATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/graph/shape.h"
#include "xla_byol/nn/variables.h"
#include "xla_byol/program/named_program.h"

namespace xla_byol {

struct StateTensor {
  std::string path;
  TensorRole role;
  graph::Shape shape;  // always f32
  nn::Initializer initializer;
  // The path that the random numbers belong to: another one's for a copy.
  std::string random_path;
};

// The online tensor that a target one follows: the same path under another
// first name.
std::string OnlinePath(absl::string_view target_path);

// A network's tensor as the layers that use it know it.
nn::Variable VariableOf(const StateTensor& tensor);

// All of a config's state, in the program's order: online, target, the
// optimizer's slots, statistics, predictor. The config must be resolved and
// valid.
absl::StatusOr<std::vector<StateTensor>> StateLayout(const Config& config);

// Fills `values`, which has the tensor's size, with its first values.
void InitializeState(const StateTensor& tensor, uint64_t seed,
                     absl::Span<float> values);

}  // namespace xla_byol

#endif  // XLA_BYOL_STEP_STATE_H_
