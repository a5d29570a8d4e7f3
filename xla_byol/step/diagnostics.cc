#include "xla_byol/step/diagnostics.h"

#include <cmath>

#include "xla_byol/predictors/closed_form.h"
#include "xla_byol/predictors/matrix_functions.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Scope;
using graph::Value;
using predictors::Product;

// Spectral norms within 0.07 %, polar factors and inverses as far as f32 goes;
// none of it is in the plain step, so cost does not matter.
constexpr int kNormSquarings = 12;
constexpr int kPolarIterations = 15;
constexpr int kInverseIterations = 20;

// Per image, what `noise` has outside of the span of z's columns.
Value Residual(Value z, Value inverse, Value noise) {
  const Value regression =
      Product(inverse, AllReduce(Product(Transpose(z), noise)));
  const Value rest = noise - Product(z, regression);
  const int64_t batch = z.dim(0) * z.graph()->replicas();
  return AllReduce(Sum(Square(rest))) / static_cast<double>(batch);
}

}  // namespace

Value UnitSpread(Value rows) {
  rows = Convert(rows, DType::kF32);
  const Value unit =
      rows *
      Rsqrt(Maximum(ReduceSum(Square(rows), {1}, /*keep_dims=*/true), 1e-12));
  const Value mean = AllReduceMean(ReduceMean(unit, {0}));
  const Value squares = AllReduceMean(ReduceMean(Square(unit), {0}));
  return Mean(Sqrt(Maximum(squares - Square(mean), 0.0)));
}

NamedValues PredictorDiagnostics(Value p) {
  Scope scope(*p.graph(), "diagnostics");
  p = p / predictors::SpectralNorm(p, kNormSquarings);
  const Value gram = Product(Transpose(p), p);
  const Value polar =
      Product(p, predictors::NewtonSchulz(gram, kPolarIterations).inverse);
  const double side = static_cast<double>(p.dim(0));
  return {
      {"predictor_trace", predictors::Trace(p)},
      {"predictor_stable_rank", Sum(Square(p))},
      {"predictor_projection_error",
       predictors::SpectralNorm(Product(p, p) - p, kNormSquarings)},
      {"predictor_asymmetry",
       predictors::SpectralNorm(p - Transpose(p), kNormSquarings)},
      {"predictor_polar_distance",
       predictors::FrobeniusNorm(p - polar) / std::sqrt(side)},
  };
}

NamedValues LossDecomposition(const ViewPair& online, const ViewPair& target) {
  Scope scope(*online.view1.graph(), "diagnostics");
  const Value z = Convert(online.view1, DType::kF32);
  const Value same_view = Convert(target.view1, DType::kF32);
  const Value other_view = Convert(target.view2, DType::kF32);
  const Value inverse = predictors::PseudoInverse(
      predictors::MomentsOf(z, z, /*normalize=*/false).covariance,
      kInverseIterations);
  return {
      {"residual_loss", Residual(z, inverse, other_view - z)},
      {"residual_resampling", Residual(z, inverse, other_view - same_view)},
      {"residual_ema", Residual(z, inverse, same_view - z)},
  };
}

Value LatentCovariance(Value latents) {
  return predictors::MomentsOf(latents, latents, /*normalize=*/true).covariance;
}

}  // namespace xla_byol
