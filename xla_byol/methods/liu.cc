// Liu, Suganuma, Okatani 2022: a trained matrix W predicts one view's
// standardized latents f from the other's, and is kept from collapse by
//
//   c_inv 1/N sum |f1 W - f2|^2
//     + c_cov / f sum over parts of |W W^T - W^T C1 W|_F^2,  C1 = f1^T f1 / N,
//
// in both directions; W is in our row notation the transpose of theirs. N and
// C1 of the second term are those of one part of the batch. W^T C1 W is P^T P /
// N of the predictions P = f1 W: no product of three matrices is needed.

#include "xla_byol/methods/global_batch.h"
#include "xla_byol/methods/method.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Value;

constexpr MethodSetting kSettings[] = {
    {"invariance_weight", 1}, {"covariance_weight", 1}, {"partitions", 1}};

// This replica's part of one direction.
Value Direction(const Config& config, Value w, Value prediction, Value other) {
  const Method& method = config.method();
  prediction = Convert(prediction, DType::kF32);
  const double images = GlobalImages(other);
  const Value invariance = Sum(Square(prediction - other)) / images;

  const double parts = method.partitions();
  const FeatureProduct product =
      ProductOverImages(config, prediction, prediction, method.partitions());
  const Value gram =
      MatMul(RowsOf(product, w), Transpose(w), graph::Precision::kHighest);
  const Value difference = gram - product.entries / (images / parts);
  const double features = static_cast<double>(w.dim(0));
  return method.invariance_weight() * invariance +
         (method.covariance_weight() * product.weight / features) *
             Sum(Square(difference));
}

Value Loss(const Config& config, const MethodInputs& in) {
  return Direction(config, in.predictor, in.predictions.view1,
                   in.projections.view2) +
         Direction(config, in.predictor, in.predictions.view2,
                   in.projections.view1);
}

}  // namespace

const MethodRow kLiu = {.kind = Method::LIU,
                        .has_target = false,
                        .has_predictor = true,
                        .only_predictor = Predictor::LINEAR,
                        .standardizes = true,
                        .settings = kSettings,
                        .loss = Loss};

}  // namespace xla_byol
