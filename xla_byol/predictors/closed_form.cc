#include "xla_byol/predictors/closed_form.h"

#include "xla_byol/predictors/matrix_functions.h"

namespace xla_byol::predictors {
namespace {

using graph::DType;
using graph::Value;

// For scaling by the largest eigenvalue where P's scale follows from it: within
// 0.07 % for a side of 256 in the worst case.
constexpr int kScaleSquarings = 12;

Value SquareRoot(const ClosedFormOptions& options,
                 const LatentMoments& moments) {
  return NewtonSchulz(moments.covariance, options.iterations).root;
}

Value FourthRoot(const ClosedFormOptions& options,
                 const LatentMoments& moments) {
  return NewtonSchulz(SquareRoot(options, moments), options.iterations).root;
}

Value VisserRoot(const ClosedFormOptions& options,
                 const LatentMoments& moments) {
  return Visser(moments.covariance, options.iterations, options.visser_step);
}

// The pseudo-code divides both latents by the mean of their norms, which
// cancels: only the pseudo-inverse's cut-off could notice, and ours is
// relative.
Value LinearRegression(const ClosedFormOptions& options,
                       const LatentMoments& moments) {
  return Product(PseudoInverse(moments.covariance, options.iterations),
                 moments.cross);
}

Value NeumannExpansion(const ClosedFormOptions& options,
                       const LatentMoments& moments) {
  const Value z_squared =
      LargestEigenvalue(moments.covariance, options.iterations);
  const Value target_squared =
      LargestEigenvalue(moments.target_covariance, options.iterations);
  // One root at a time: the product of the squares could overflow.
  const Value cross = moments.cross / Sqrt(z_squared) / Sqrt(target_squared);
  const Value p = 2.0 * cross - Product(moments.covariance / z_squared, cross);
  return p / SpectralNorm(p, options.iterations);
}

// The pseudo-code's division by f drops out, here and in what follows: B only
// enters as B / |B|_F. Scaling the covariance first keeps its square in range.
Value StiefelProjection(const ClosedFormOptions& options,
                        const LatentMoments& moments) {
  const Value scaled = moments.covariance / FrobeniusNorm(moments.covariance);
  const Value inverse =
      NewtonSchulz(Product(Transpose(scaled), scaled), options.iterations)
          .inverse;
  return Product(inverse / FrobeniusNorm(inverse),
                 Transpose(moments.covariance));
}

Value RelativeSquareRoot(const ClosedFormOptions& options,
                         const LatentMoments& moments) {
  return NewtonSchulz(moments.covariance / LargestEigenvalue(moments.covariance,
                                                             kScaleSquarings),
                      options.iterations)
      .root;
}

Value Covariance(const ClosedFormOptions&, const LatentMoments& moments) {
  return moments.covariance;
}

// With latents of any scale the ridge then means the same.
Value RelativeCovariance(const ClosedFormOptions&,
                         const LatentMoments& moments) {
  return moments.covariance /
         LargestEigenvalue(moments.covariance, kScaleSquarings);
}

// Kind, formula, of the covariance alone; ridge, decay, iterations and their
// limit; divided by the batch, and what is averaged.
constexpr ClosedForm kClosedForms[] = {
    {Predictor::NEWTON_SCHULZ, SquareRoot, true, 0.9f, 0.99f, 9, 15},
    {Predictor::LRP, LinearRegression, false, 0.0f, 0.8f, 20, 24},
    {Predictor::NE, NeumannExpansion, false, 0.15f, 0.99f, 12, 20},
    {Predictor::VISSER, VisserRoot, true, 0.0f, 0.99f, 50, 1000},
    {Predictor::NS2, FourthRoot, true, 0.9f, 0.99f, 7, 12},
    {Predictor::STIEFEL, StiefelProjection, true, 0.3f, 0.999f, 9, 15},
    {Predictor::DIRECTPRED, RelativeSquareRoot, true, 0.01f, 0.3f, 12, 15, true,
     Predictor::COVARIANCE},
    {Predictor::DIRECTCOPY, Covariance, true, 0.6f, 0.99f, 0, 0, true},
    {Predictor::DIRECTCOPY_NORMALIZED, RelativeCovariance, true, 0.01f, 0.5f, 0,
     0, true, Predictor::COVARIANCE},
};

}  // namespace

LatentMoments MomentsOf(Value z, Value z_target, bool normalize) {
  z = StopGradient(Convert(z, DType::kF32));
  z_target = StopGradient(Convert(z_target, DType::kF32));
  const int64_t batch = z.dim(0) * z.graph()->replicas();
  const double share = normalize ? 1.0 / static_cast<double>(batch) : 1.0;
  // A sum each: the program keeps only those that a form uses, and the compiler
  // joins neighbouring all-reduces anyway.
  const auto moment = [share](Value a, Value b) {
    const Value sum = AllReduce(Product(Transpose(a), b));
    return share == 1.0 ? sum : sum * share;
  };
  return {.covariance = moment(z, z),
          .cross = moment(z, z_target),
          .target_covariance = moment(z_target, z_target)};
}

absl::Span<const ClosedForm> ClosedForms() { return kClosedForms; }

const ClosedForm* FindClosedForm(Predictor::Kind kind) {
  for (const ClosedForm& form : kClosedForms) {
    if (form.kind == kind) return &form;
  }
  return nullptr;
}

Value BatchwisePredictor(const ClosedForm& form,
                         const ClosedFormOptions& options,
                         const LatentMoments& moments) {
  const Value p = form.formula(options, moments);
  if (options.ridge == 0) return p;
  return p + options.ridge * IdentityMatrix(*p.graph(), p.dim(0));
}

}  // namespace xla_byol::predictors
