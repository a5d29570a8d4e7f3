#include "xla_byol/predictors/closed_form.h"

#include "xla_byol/predictors/matrix_functions.h"

namespace xla_byol::predictors {
namespace {

using graph::DType;
using graph::Value;

using Formula = Value (*)(const ClosedFormOptions&, const LatentMoments&);

Value SquareRoot(const ClosedFormOptions& options,
                 const LatentMoments& moments) {
  return NewtonSchulz(moments.covariance, options.iterations).root;
}

struct Entry {
  ClosedForm form;
  Formula formula;
};

constexpr Entry kFormulas[] = {
    {ClosedForm::kNewtonSchulz, SquareRoot},
};

Formula FormulaOf(ClosedForm form) {
  for (const Entry& entry : kFormulas) {
    if (entry.form == form) return entry.formula;
  }
  return nullptr;
}

}  // namespace

LatentMoments MomentsOf(Value z, Value z_target) {
  z = StopGradient(Convert(z, DType::kF32));
  z_target = StopGradient(Convert(z_target, DType::kF32));
  const Value z_transposed = Transpose(z);
  // A sum each: a form that needs but one of them pays for one, and the
  // compiler joins neighbouring all-reduces anyway.
  return {.covariance = AllReduce(Product(z_transposed, z)),
          .cross = AllReduce(Product(z_transposed, z_target)),
          .batch = z.dim(0) * z.graph()->replicas()};
}

Value BatchwisePredictor(const ClosedFormOptions& options,
                         const LatentMoments& moments) {
  LatentMoments used = moments;
  if (options.normalize_covariance) {
    const double share = 1.0 / static_cast<double>(moments.batch);
    used.covariance = moments.covariance * share;
    used.cross = moments.cross * share;
  }
  const Value p = FormulaOf(options.form)(options, used);
  if (options.ridge == 0) return p;
  return p + options.ridge * IdentityMatrix(*p.graph(), p.dim(0));
}

}  // namespace xla_byol::predictors
