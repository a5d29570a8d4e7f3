#include "xla_byol/predictors/closed_form.h"

#include <utility>
#include <vector>

#include "xla_byol/predictors/matrix_functions.h"

namespace xla_byol::predictors {
namespace {

using graph::Direction;
using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::Value;

// For scaling by the largest eigenvalue where P's scale follows from it: within
// 0.07 % for a side of 256 in the worst case.
constexpr int kScaleSquarings = 12;

// Of the first pass of LRP2: eigenvalues above (4/9)^12 = 6e-5 of the norm are
// brought near 1, and those of f32's rounding (1e-7) stay small.
constexpr int kWhiteningIterations = 12;

// Groups beyond this many are a loop in the program: each costs compile time.
constexpr int64_t kMaxUnrolledGroups = 2;

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

// As LRP, from latents that a first pass has brought near the identity: W = Z B
// with B about (Z^T Z)^(-1/2), so that the second pass, which sums W^T W anew,
// inverts a matrix whose eigenvalues are the squares of B's error, not of Z's
// spread. P = B (W^T W)^+ W^T Z' is the regression for any invertible B. (The
// same idea as the second pass of a Cholesky QR.)
Value RegressionInTwoPasses(const ClosedFormOptions& options,
                            const LatentMoments& moments) {
  const Value whitening =
      NewtonSchulz(moments.covariance, kWhiteningIterations).inverse;
  const Value w = Product(moments.z, whitening);
  const Value gram = moments.sum(Product(Transpose(w), w));
  const Value cross = moments.sum(Product(Transpose(w), moments.z_target));
  return Product(whitening,
                 Product(PseudoInverse(gram, options.iterations), cross));
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
    {Predictor::LRP2, RegressionInTwoPasses, false, 0.0f, 0.8f, 20, 24},
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

Value Constants(Value rows) { return StopGradient(Convert(rows, DType::kF32)); }

// Of a batch of `rows` rows, added up over replicas by `add`.
LatentMoments MomentsOfRows(Value z, Value z_target, int64_t rows,
                            bool normalize, std::function<Value(Value)> add) {
  const double share = normalize ? 1.0 / static_cast<double>(rows) : 1.0;
  const auto sum = [share, add = std::move(add)](Value m) {
    const Value all = add(m);
    return share == 1.0 ? all : all * share;
  };
  // A sum each: the program keeps only those that a form uses, and the compiler
  // joins neighbouring all-reduces anyway.
  return {.covariance = sum(Product(Transpose(z), z)),
          .cross = sum(Product(Transpose(z), z_target)),
          .target_covariance = sum(Product(Transpose(z_target), z_target)),
          .z = z,
          .z_target = z_target,
          .sum = sum};
}

// The sum of m over the replicas of this one's group, `replicas` in a row: each
// group has a place of its own in one sum over all.
Value SumOverGroup(Value m, int64_t replicas) {
  Graph& graph = *m.graph();
  const int64_t groups = graph.replicas() / replicas;
  const Value mine =
      Convert(ReplicaId(graph), DType::kS32) / static_cast<double>(replicas);
  const Value all = Iota(graph, Shape{DType::kS32, {groups, 1, 1}}, 0);
  const Value place = Convert(Compare(all, mine, Direction::kEq), DType::kF32);
  const Value sums = AllReduce(Reshape(m, {1, m.dim(0), m.dim(1)}) * place);
  return ReduceSum(sums * place, {0});
}

// The sum of the predictors of this replica's groups of `rows` rows.
Value SumOfGroups(const ClosedForm& form, const ClosedFormOptions& options,
                  Value z, Value z_target, bool normalize, int64_t rows) {
  const auto predictor = [&form, options, normalize, rows](Value group,
                                                           Value target) {
    return BatchwisePredictor(form, options,
                              MomentsOfRows(group, target, rows, normalize,
                                            [](Value m) { return m; }));
  };
  const int64_t groups = z.dim(0) / rows, side = z.dim(1);
  if (groups <= kMaxUnrolledGroups) {
    Value sum;
    for (int64_t i = 0; i < groups; ++i) {
      const auto part = [&](Value x) {
        return Slice(x, {i * rows, 0}, {(i + 1) * rows, side});
      };
      const Value p = predictor(part(z), part(z_target));
      sum = i == 0 ? p : sum + p;
    }
    return sum;
  }
  const Value zero = 0.0 * IdentityMatrix(*z.graph(), side);
  return graph::Repeat(
      groups, {zero, z, z_target},
      [&](Graph&, Value i, const std::vector<Value>& state) {
        const Value first = i * static_cast<double>(rows);
        const auto part = [&](Value x) {
          return DynamicSlice(x, {first, ScalarLike(first, 0)}, {rows, side});
        };
        return std::vector<Value>{
            state[0] + predictor(part(state[1]), part(state[2])), state[1],
            state[2]};
      })[0];
}

}  // namespace

LatentMoments MomentsOf(Value z, Value z_target, bool normalize) {
  return MomentsOfRows(Constants(z), Constants(z_target),
                       z.dim(0) * z.graph()->replicas(), normalize,
                       [](Value m) { return AllReduce(m); });
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

Value GroupedPredictor(const ClosedForm& form, const ClosedFormOptions& options,
                       Value z, Value z_target, bool normalize, int64_t rows) {
  z = Constants(z);
  z_target = Constants(z_target);
  const int64_t here = z.dim(0);
  if (rows <= here) {
    return AllReduceMean(
        SumOfGroups(form, options, z, z_target, normalize, rows) /
        static_cast<double>(here / rows));
  }
  const int64_t replicas = rows / here;
  return AllReduceMean(BatchwisePredictor(
      form, options,
      MomentsOfRows(z, z_target, rows, normalize, [replicas](Value m) {
        return SumOverGroup(m, replicas);
      })));
}

}  // namespace xla_byol::predictors
