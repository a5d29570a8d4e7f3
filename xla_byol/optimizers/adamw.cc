// AdamW (Loshchilov and Hutter 2019):
//
//   m = average of g,  v = average of g^2
//   p = p - learning_rate (m / (sqrt(v) + epsilon) + weight_decay p)
//
// The averages are those of Adam with the bias of their start at 0 taken out,
// kept as such: the host passes rates (1 - beta) / (1 - beta^t), so that
// (1 - rate) m + rate g is what others compute as m / (1 - beta^t). Not written
// as m + rate (g - m): where the rate is 1, in the first step, that leaves m's
// rounding in the result, and g^2 may be far smaller than it.

#include "xla_byol/optimizers/optimizer.h"

namespace xla_byol {
namespace {

using graph::Value;

constexpr absl::string_view kSlots[] = {"first_moment", "second_moment"};
constexpr absl::string_view kScalars[] = {"first_moment_rate",
                                          "second_moment_rate"};

Value Average(Value before, Value rate, Value now) {
  return (1.0 - rate) * before + rate * now;
}

UpdateResult Update(const Optimizer& settings, const UpdateInput& in) {
  const Value p = in.parameter;
  const Value g = in.gradient;
  const Value m = Average(in.slots[0], in.scalars[0], g);
  const Value v = Average(in.slots[1], in.scalars[1], Square(g));
  Value step = m / (Sqrt(v) + settings.epsilon());
  if (in.decays) step = step + settings.weight_decay() * p;
  return {p - in.learning_rate * step, {m, v}};
}

}  // namespace

const OptimizerRow kAdamW = {.kind = Optimizer::ADAMW,
                             .slots = kSlots,
                             .scalars = kScalars,
                             .decays_vectors = false,
                             .update = Update};

}  // namespace xla_byol
