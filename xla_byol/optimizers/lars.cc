// LARS (You, Gitman, Ginsburg 2017): momentum SGD whose step is scaled, tensor
// by tensor, to the size of the weights. In the reference's order:
//
//   u = g + weight_decay p
//   u = u trust_coefficient |p| / |u|      (unless a norm is 0)
//   m = momentum m + u
//   p = p - learning_rate m
//
// Vectors (biases, batch norm's scales and offsets) skip the second line, and
// the first unless the config says otherwise.

#include "xla_byol/optimizers/optimizer.h"

namespace xla_byol {
namespace {

using graph::Direction;
using graph::Value;

constexpr absl::string_view kSlots[] = {"momentum"};

Value SumOfSquares(Value x) { return Sum(Square(x)); }

// The scale that brings u to the size of p; 1 where either is 0, which keeps a
// tensor that starts at 0 trainable.
Value TrustRatio(const Optimizer& settings, Value p_squares, Value u_squares,
                 Value learning_rate) {
  const Value both = Minimum(p_squares, u_squares);
  Value ratio =
      settings.trust_coefficient() * Sqrt(p_squares) / Sqrt(u_squares);
  // Never further than momentum SGD without scaling would go.
  if (settings.clip_trust()) ratio = Minimum(ratio / learning_rate, 1.0);
  return Select(Compare(both, 0.0, Direction::kGt), ratio,
                FullLike(ratio, 1.0));
}

UpdateResult Update(const Optimizer& settings, const UpdateInput& in) {
  const Value p = in.parameter;
  const auto decayed = [&](Value gradient, Value parameter) {
    return in.decays ? gradient + settings.weight_decay() * parameter
                     : gradient;
  };
  Value u = decayed(in.gradient, p);
  if (in.is_matrix) {
    const Value u_squares = in.total(
        SumOfSquares(decayed(in.summed_gradient, in.summed_parameter)));
    const Value p_squares = in.total(SumOfSquares(in.summed_parameter));
    u = u * TrustRatio(settings, p_squares, u_squares, in.learning_rate);
  }
  const Value m = settings.momentum() * in.slots[0] + u;
  return {p - in.learning_rate * m, {m}};
}

}  // namespace

const OptimizerRow kLars = {.kind = Optimizer::LARS,
                            .slots = kSlots,
                            .scalars = {},
                            .decays_vectors = false,
                            .update = Update};

}  // namespace xla_byol
