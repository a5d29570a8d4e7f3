// Losses of methods on given projections, for tests.

#ifndef XLA_BYOL_TESTS_METHODS_METHOD_INPUTS_H_
#define XLA_BYOL_TESTS_METHODS_METHOD_INPUTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/graph/evaluate.h"
#include "xla_byol/config/config.pb.h"

namespace xla_byol {

// A config of nothing but a method ("vicreg") and its settings, for a latent
// size and a batch.
Config MethodConfig(const std::string& method,
                    const std::vector<std::string>& set, int features,
                    int images, int devices = 1);

// What one loss is and what follows from it.
struct MethodResult {
  double loss;
  graph::Tensor gradient1, gradient2;  // of the projections
  graph::Tensor matrix_gradient;       // of the predictor's matrix; zeros if it
                                       // has none
};

// The method's loss of projections z1[n,f], z2[n,f] over all images, spread
// over `replicas`, with the linear predictor `matrix`[f,f].
absl::StatusOr<MethodResult> EvaluateMethod(const Config& config,
                                            const graph::Tensor& z1,
                                            const graph::Tensor& z2,
                                            const graph::Tensor& matrix,
                                            int replicas = 1);

}  // namespace xla_byol

#endif  // XLA_BYOL_TESTS_METHODS_METHOD_INPUTS_H_
