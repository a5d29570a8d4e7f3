// Layers: functions from Views to Views that take their variables from the
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
#include "xla_byol/nn/batch_norm.h"
#include "xla_byol/nn/variables.h"
#include "xla_byol/nn/views.h"

namespace xla_byol::nn {

// Where a strided window stands on its input.
enum class PaddingStyle {
  kSame,   // TensorFlow's and JAX's: an odd pixel goes to the bottom and right
  kTorch,  // PyTorch's: (kernel - 1) / 2 on every side
};

graph::Padding PaddingFor(PaddingStyle style, int64_t kernel);

// x[..., in] w[in, out] (+ b[out]) with variables `w` and `b`.
Views Dense(Variables& variables, const Views& x, int64_t outputs, bool bias);

// The variable `w` of a square kernel without bias, [k,k,inputs,outputs].
graph::Value Kernel(Variables& variables, int64_t inputs, int64_t outputs,
                    int64_t size);

// Of kernels[k,k,i,o], of which there is one for all views or, where views are
// not joined, one for each: what each part of x is convolved with.
std::vector<graph::Value> PartKernels(const Views& x,
                                      const std::vector<graph::Value>& kernels);

Views Convolve(const Views& x, const std::vector<graph::Value>& kernels,
               int64_t stride, PaddingStyle padding);

// 3x3 windows with stride 2.
Views StemMaxPool(const Views& x, PaddingStyle padding);

// Dense, batch norm, ReLU, dense: the shape of BYOL's projector and predictor,
// whose first layer has a bias and the second none. Scopes dense1, norm,
// dense2.
Views Mlp(Variables& variables, const Views& x, int64_t hidden, int64_t outputs,
          const BatchNormOptions& norm, bool hidden_bias = true,
          bool output_bias = false);

struct HeadLayer {
  int64_t outputs;
  bool bias = false;
  bool norm = false;
  bool affine = true;  // the norm
};

// Dense layers with a norm where one is wanted, and ReLU after all but the
// last. Scopes dense1, norm1, dense2, ...
Views Head(Variables& variables, Views x, absl::Span<const HeadLayer> layers,
           BatchNormOptions norm);

}  // namespace xla_byol::nn

#endif  // XLA_BYOL_NN_LAYERS_H_
