// Layers: functions from a Value to a Value that take their variables from the
// current scope. Images are NHWC, kernels HWIO, matrices [in, out].
//
// Activations come and go in the compute type (f32 or bf16), which is the
// input's; parameters are f32 and are converted where they are used.

#ifndef XLA_BYOL_NN_LAYERS_H_
#define XLA_BYOL_NN_LAYERS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/nn/variables.h"

namespace xla_byol::nn {

// Where a strided window stands on its input.
enum class PaddingStyle {
  kSame,   // TensorFlow's and JAX's: an odd pixel goes to the bottom and right
  kTorch,  // PyTorch's: (kernel - 1) / 2 on every side
};

graph::Padding PaddingFor(PaddingStyle style, int64_t kernel);

// What batch norm does with its statistics.
struct BatchNormOptions {
  double epsilon = 1e-5;
  // Training: normalize by the batch's own statistics, taken over all replicas,
  // and move the running ones. Otherwise the running ones are used.
  bool training = true;
  // The batch holds this many views, one after the other, each with statistics
  // of its own.
  int views = 1;
  // Training: the weight of each view's batch in the running averages, which
  // see the views in their order (the one batch again and again where there are
  // more rates than views). Scalars of the program; none: the running averages
  // stay as they are.
  std::vector<graph::Value> rates;
  // Normalized values are scaled and shifted by trained numbers.
  bool affine = true;
};

// x[..., in] w[in, out] (+ b[out]) with variables `w` and `b`.
graph::Value Dense(Variables& variables, graph::Value x, int64_t outputs,
                   bool bias);

// A square kernel without bias; variable `w`.
graph::Value Conv(Variables& variables, graph::Value x, int64_t channels,
                  int64_t kernel, int64_t stride, PaddingStyle padding);

// Over all but the last dimension; variables `scale` and `offset` if it is
// affine, statistics `mean` and `var`. Sums are taken in f32. One all-reduce
// carries mean and mean of squares.
graph::Value BatchNorm(Variables& variables, graph::Value x,
                       const BatchNormOptions& options,
                       double initial_scale = 1);

// 3x3 windows with stride 2.
graph::Value StemMaxPool(graph::Value x, PaddingStyle padding);

// Dense, batch norm, ReLU, dense: the shape of BYOL's projector and predictor,
// whose first layer has a bias and the second none. Scopes dense1, norm,
// dense2.
graph::Value Mlp(Variables& variables, graph::Value x, int64_t hidden,
                 int64_t outputs, const BatchNormOptions& norm,
                 bool hidden_bias = true, bool output_bias = false);

struct HeadLayer {
  int64_t outputs;
  bool bias = false;
  bool norm = false;
  bool affine = true;  // the norm
};

// Dense layers with a norm where one is wanted, and ReLU after all but the
// last. Scopes dense1, norm1, dense2, ...
graph::Value Head(Variables& variables, graph::Value x,
                  absl::Span<const HeadLayer> layers, BatchNormOptions norm);

}  // namespace xla_byol::nn

#endif  // XLA_BYOL_NN_LAYERS_H_
