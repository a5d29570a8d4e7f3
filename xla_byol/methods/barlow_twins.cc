// Zbontar et al. 2021: the correlation of feature i of one view and feature j
// of the other is to be 1 for i = j and 0 otherwise,
//
//   sum_i (c_ii - 1)^2 + lambda sum_{i != j} c_ij^2,  c = z1^T z2 / N,
//
// with z1 and z2 standardized over the batch.

#include "xla_byol/methods/global_batch.h"
#include "xla_byol/methods/method.h"

namespace xla_byol {
namespace {

using graph::Value;

constexpr MethodSetting kSettings[] = {{"off_diagonal_weight", 0.0051}};

Value Loss(const Config& config, const MethodInputs& in) {
  const auto& [z1, z2] = in.projections;
  const FeatureProduct product = ProductOverImages(config, z1, z2);
  const Value c = product.entries / GlobalImages(z1);
  const Value same = SameFeature(product);
  const double lambda = config.method().off_diagonal_weight();
  return product.weight *
         Sum(same * Square(c - 1.0) + lambda * (1.0 - same) * Square(c));
}

}  // namespace

const MethodRow kBarlowTwins = {.kind = Method::BARLOW_TWINS,
                                .has_target = false,
                                .has_predictor = false,
                                .standardizes = true,
                                .settings = kSettings,
                                .loss = Loss};

}  // namespace xla_byol
