// Deng et al. 2022, Neural Eigenmap: the principal functions that both views
// share. Columns are scaled to length sqrt(2 t) over both views; then, with
// R = psi1^T psi2,
//
//   -2/f sum_j R_jj + alpha/f sum_{i != j} R_ij^2.
//
// Ordered, feature j is pushed away from the features before it and these are
// held fixed: sums over i < j of (sg(psi2)^T psi1)_ij^2 and
// (sg(psi1)^T psi2)_ij^2 instead.

#include <cmath>

#include "xla_byol/methods/global_batch.h"
#include "xla_byol/methods/method.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Value;

// The authors' alpha times the latent size is 20.5 at all their sizes.
constexpr MethodSetting kSettings[] = {
    {"off_diagonal_weight", 20.48, /*per_feature=*/true},
    {"scale", 10},
    {"ordered", 0}};

// This replica's part of the sum of squares of different features' products.
Value Crosstalk(const Config& config, Value psi1, Value psi2) {
  if (!config.method().ordered()) {
    const FeatureProduct product = ProductOverImages(config, psi1, psi2);
    return product.weight *
           Sum((1.0 - SameFeature(product)) * Square(product.entries));
  }
  const auto triangle = [&config](Value fixed, Value moved) {
    const FeatureProduct product =
        ProductOverImages(config, StopGradient(fixed), moved);
    return product.weight *
           Sum(OrderedFeatures(product) * Square(product.entries));
  };
  return triangle(psi2, psi1) + triangle(psi1, psi2);
}

Value Loss(const Config& config, const MethodInputs& in) {
  const Value z1 = Convert(in.projections.view1, DType::kF32);
  const Value z2 = Convert(in.projections.view2, DType::kF32);
  const Value squares = SumOfSquares(graph::Concatenate({z1, z2}, 0));
  const Value factor =
      std::sqrt(2.0 * config.method().scale()) * Rsqrt(Maximum(squares, 1e-12));
  const Value psi1 = z1 * factor;
  const Value psi2 = z2 * factor;
  const double features = static_cast<double>(z1.dim(1));
  return (-2.0 / features) * Sum(psi1 * psi2) +
         (config.method().off_diagonal_weight() / features) *
             Crosstalk(config, psi1, psi2);
}

}  // namespace

const MethodRow kEigenmap = {.kind = Method::EIGENMAP,
                             .has_target = false,
                             .has_predictor = false,
                             .settings = kSettings,
                             .loss = Loss};

}  // namespace xla_byol
