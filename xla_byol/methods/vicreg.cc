// Bardes, Ponce, LeCun 2022: views that agree (invariance), features that vary
// (variance, of at least 1) and differ from each other (covariance):
//
//   s = mean over images and features of (z1 - z2)^2
//   v = 1/2 mean_j max(0, 1 - sqrt(var_j(z1) + 1e-4)) + the same of z2
//   c = 1/f sum_{i != j} C(z1)_ij^2 + the same of z2,  C(z) with N - 1

#include "xla_byol/methods/global_batch.h"
#include "xla_byol/methods/method.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Value;

constexpr MethodSetting kSettings[] = {{"invariance_weight", 25},
                                       {"variance_weight", 25},
                                       {"covariance_weight", 1}};

// This replica's part of one view's variance and covariance terms.
Value Spread(const Config& config, Value z) {
  const Value centered = Centered(z);
  const double others = GlobalImages(z) - 1;
  const double features = static_cast<double>(z.dim(1));
  const Value deviation = Sqrt(SumOfSquares(centered) / others + 1e-4);
  const double replicas = static_cast<double>(z.graph()->replicas());
  const Value variance = Mean(Maximum(1.0 - deviation, 0.0)) / (2 * replicas);

  const FeatureProduct product = ProductOverImages(config, centered, centered);
  const Value different = 1.0 - SameFeature(product);
  const Value covariance = (product.weight / features) *
                           Sum(different * Square(product.entries / others));
  return config.method().variance_weight() * variance +
         config.method().covariance_weight() * covariance;
}

Value Loss(const Config& config, const MethodInputs& in) {
  const Value z1 = Convert(in.projections.view1, DType::kF32);
  const Value z2 = Convert(in.projections.view2, DType::kF32);
  const double numbers = GlobalImages(z1) * static_cast<double>(z1.dim(1));
  const Value invariance = Sum(Square(z1 - z2)) / numbers;
  return config.method().invariance_weight() * invariance + Spread(config, z1) +
         Spread(config, z2);
}

}  // namespace

const MethodRow kVicReg = {.kind = Method::VICREG,
                           .has_target = false,
                           .has_predictor = false,
                           .settings = kSettings,
                           .loss = Loss};

}  // namespace xla_byol
