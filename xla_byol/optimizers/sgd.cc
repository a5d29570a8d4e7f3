// Gradient descent with momentum, as PyTorch has it:
//
//   u = g + weight_decay p
//   m = momentum m + u
//   p = p - learning_rate m                    or, with Nesterov's look ahead,
//   p = p - learning_rate (u + momentum m)

#include "xla_byol/optimizers/optimizer.h"

namespace xla_byol {
namespace {

using graph::Value;

constexpr absl::string_view kSlots[] = {"momentum"};

UpdateResult Update(const Optimizer& settings, const UpdateInput& in) {
  Value u = in.gradient;
  if (in.decays) u = u + settings.weight_decay() * in.parameter;
  const Value m = settings.momentum() * in.slots[0] + u;
  const Value step = settings.nesterov() ? u + settings.momentum() * m : m;
  return {in.parameter - in.learning_rate * step, {m}};
}

}  // namespace

const OptimizerRow kSgd = {.kind = Optimizer::SGD,
                           .slots = kSlots,
                           .scalars = {},
                           .decays_vectors = true,
                           .update = Update};

}  // namespace xla_byol
