// AdamW (Loshchilov and Hutter 2019):
//
//   m = average of g,  v = average of g^2
//   p = p - learning_rate (m / (sqrt(v) + epsilon) + weight_decay p)
//
// The averages are those of Adam with the bias of their start at 0 taken out,
// kept as such: the host passes rates (1 - beta) / (1 - beta^t), so that
// m + rate (g - m) is what others compute as m / (1 - beta^t).

#include "xla_byol/optimizers/optimizer.h"

namespace xla_byol {
namespace {

using graph::Value;

constexpr absl::string_view kSlots[] = {"first_moment", "second_moment"};
constexpr absl::string_view kScalars[] = {"first_moment_rate",
                                          "second_moment_rate"};

UpdateResult Update(const Optimizer& settings, const UpdateInput& in) {
  const Value p = in.parameter;
  const Value g = in.gradient;
  const Value m = in.slots[0] + in.scalars[0] * (g - in.slots[0]);
  const Value v = in.slots[1] + in.scalars[1] * (Square(g) - in.slots[1]);
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
