#include "xla_byol/graph/dot.h"

#include <utility>

namespace xla_byol::graph {

Value MatMul(Value a, Value b, Precision precision) {
  if (a.valid() && b.valid() && (a.rank() != 2 || b.rank() != 2)) {
    return a.graph()->Fail("matmul", "takes two matrices", {a, b});
  }
  return DotGeneral(
      a, b, {.lhs_contract = {1}, .rhs_contract = {0}, .precision = precision});
}

Value DotGeneral(Value lhs, Value rhs, DotAttributes attributes) {
  return Apply(OpCode::kDotGeneral, {lhs, rhs}, std::move(attributes));
}

}  // namespace xla_byol::graph
