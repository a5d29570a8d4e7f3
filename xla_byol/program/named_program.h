// A program whose inputs and outputs have names and roles. Whoever runs it
// finds them by these; their places in the call are nobody's business but the
// builder's and BoundProgram's (runtime/bound_program.h).

#ifndef XLA_BYOL_PROGRAM_NAMED_PROGRAM_H_
#define XLA_BYOL_PROGRAM_NAMED_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "xla_byol/graph/program.h"
#include "xla_byol/graph/shape.h"

namespace xla_byol {

// What a tensor is to a program.
enum class TensorRole {
  kOnline,      // trained: online/...
  kTarget,      // their moving average: target/...
  kMomentum,    // one per online tensor: momentum/...
  kBatchStats,  // batch norm's running averages:
                // batch_stats/{online,target}/...
  kPredictor,   // the closed form's matrices: predictor/P and, where it is
                // averaged, predictor/covariance
  kBatch,       // images, labels, draws, features
  kScalar,      // numbers of the schedules
  kMetric,      // what every run of the program reports
  kDiagnostic,  // what StepOptions::diagnostics adds: scalars, and matrices
                // that the host makes more of
};

// As in step.json: "online", "batch_stats", ...
absl::string_view RoleName(TensorRole role);

// Whether tensors of this role are kept from run to run: parameters, momenta,
// statistics.
bool IsState(TensorRole role);

// A tensor that enters or leaves a program.
struct ProgramTensor {
  std::string name;
  TensorRole role;
  graph::Shape shape;
};

// Made by ProgramBuilder. Names are unique among the inputs, and among the
// outputs; a donated input and the output that takes its buffer share one.
struct NamedProgram {
  graph::Program program;
  std::vector<ProgramTensor> inputs;   // in call order
  std::vector<ProgramTensor> outputs;  // likewise

  // The one with this name, or nullptr.
  const ProgramTensor* FindInput(absl::string_view name) const;
  const ProgramTensor* FindOutput(absl::string_view name) const;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_PROGRAM_NAMED_PROGRAM_H_
