// Element-wise combinations of plain memory: what reductions do.

#ifndef XLA_BYOL_COLLECTIVES_COMBINE_H_
#define XLA_BYOL_COLLECTIVES_COMBINE_H_

#include "absl/status/statusor.h"
#include "xla_byol/collectives/exchange.h"
#include "xla_byol/graph/attributes.h"

namespace xla_byol::collectives {

enum class Element { kF32, kS32, kU32 };

// INVALID_ARGUMENT for what makes no sense: "and" of floats.
absl::StatusOr<Exchange::Combine> CombinerOf(graph::Combiner combiner,
                                             Element element);

}  // namespace xla_byol::collectives

#endif  // XLA_BYOL_COLLECTIVES_COMBINE_H_
