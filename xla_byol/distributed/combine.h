// Element-wise combinations of plain memory: what reductions do.

#ifndef XLA_BYOL_DISTRIBUTED_COMBINE_H_
#define XLA_BYOL_DISTRIBUTED_COMBINE_H_

#include "absl/status/statusor.h"
#include "xla_byol/distributed/exchange.h"
#include "xla_byol/graph/attributes.h"

namespace xla_byol::distributed {

enum class Element { kF32, kS32, kU32 };

// INVALID_ARGUMENT for what makes no sense: "and" of floats.
absl::StatusOr<Exchange::Combine> CombinerOf(graph::Combiner combiner,
                                             Element element);

}  // namespace xla_byol::distributed

#endif  // XLA_BYOL_DISTRIBUTED_COMBINE_H_
