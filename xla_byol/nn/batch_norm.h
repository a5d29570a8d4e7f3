// Batch norm in three steps: sums of what is normalized, from them a factor and
// a shift for each view and channel, and their application. They are apart
// since the sums may be known without the tensor, and since something may come
// between: see Rewrites in resnet.h.

#ifndef XLA_BYOL_NN_BATCH_NORM_H_
#define XLA_BYOL_NN_BATCH_NORM_H_

#include <cstdint>
#include <vector>

#include "xla_byol/graph/ops.h"
#include "xla_byol/nn/variables.h"
#include "xla_byol/nn/views.h"

namespace xla_byol::nn {

// What batch norm does with its statistics.
struct BatchNormOptions {
  double epsilon = 1e-5;
  // Training: normalize each view by its batch's own statistics, taken over
  // all replicas, and move the running ones. Otherwise the running ones are
  // used.
  bool training = true;
  // Training: the weight of each view's batch in the running averages, which
  // see the views in their order (the one batch again and again where there are
  // more rates than views). Scalars of the program; none: the running averages
  // stay as they are.
  std::vector<graph::Value> rates;
  // Normalized values are scaled and shifted by trained numbers.
  bool affine = true;
  // Training: statistics over groups of so many neighbouring replicas instead
  // of over all (0). The running ones see the mean of all groups.
  int64_t group = 0;
};

// Of one replica's images and positions, for each view and channel: f32[v,c].
struct Sums {
  graph::Value x, squares;
  int64_t count;  // of the terms of one sum
  // The sums are not those of the terms themselves, so that rounding may make
  // the variance negative: it is then taken for 0.
  bool derived = false;
};

Sums SumsOf(const Views& x);

// y = x * factor + shift, f32[v,c] each.
struct Normalization {
  graph::Value factor, shift;
};

// ReLU(y * factor + shift), and what it is made of. Who knows that can have it
// with more channels: compilers then make it on its way into a convolution,
// where they would store channels that are added to x itself.
struct Activation {
  Views x;
  std::vector<graph::Value> y;  // parts like those of x; none: not known
  Normalization normalization;
};

// Of each part, the channels of both.
std::vector<graph::Value> SideBySide(const Activation& a, const Activation& b);

// Those of the products x[...,i] w[i,o] without making them: the sums are
// (sum of x) w, those of the squares the diagonal of w^T (sum of x x^T) w.
// Views must not be joined. A channel of ones beside x, if its making is known,
// gives both in one pass.
Sums SumsOfProducts(const Activation& activation, graph::Value w);

// What gives the values behind the sums mean 0 and variance 1 over all replicas
// (one all-reduce carries both sums), times scale plus offset. Variables
// `scale` and `offset` if it is affine, statistics `mean` and `var`. `sign`
// [c], if valid, says which values were negated: then they become what the
// others would.
Normalization Normalize(Variables& variables, const Sums& sums,
                        const BatchNormOptions& options,
                        double initial_scale = 1, graph::Value sign = {});

Views Apply(const Views& x, const Normalization& normalization);

// +1 or -1 [c], as the scale of the current scope's norm has it, +1 for 0. A
// constant for gradients.
graph::Value SignOfScale(Variables& variables, int64_t channels,
                         double initial_scale = 1);

// All three. Sums are taken in f32. `used`, unless null, gets what training
// applies.
Views BatchNorm(Variables& variables, const Views& x,
                const BatchNormOptions& options, double initial_scale = 1,
                Normalization* used = nullptr);

}  // namespace xla_byol::nn

#endif  // XLA_BYOL_NN_BATCH_NORM_H_
