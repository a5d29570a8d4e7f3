// Where in the model a scope of a compiled step belongs.

#ifndef XLA_BYOL_INSPECT_SCOPE_PLACE_H_
#define XLA_BYOL_INSPECT_SCOPE_PLACE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace xla_byol {

// The part of the model that a scope belongs to, and the pass:
// "gradient/online/resnet/stage1/block0/conv2" is part "stage1", pass
// "gradient". With execution.rematerialize the gradient computes parts of the
// forward pass once more: those are pass "recomputed" of their part.
struct ScopePlace {
  std::string part;
  std::string pass;  // forward, target, recomputed, gradient or update
};
ScopePlace PlaceOf(absl::string_view scope);

// The parts in the order of the step, as a reader expects them.
const std::vector<std::string>& PartOrder();

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_SCOPE_PLACE_H_
