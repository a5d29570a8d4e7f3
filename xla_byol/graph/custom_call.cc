#include "xla_byol/graph/custom_call.h"

#include <utility>

namespace xla_byol::graph {

std::vector<Value> CustomCall(absl::Span<const Value> operands,
                              CustomCallAttributes attributes) {
  const int results = static_cast<int>(attributes.results.size());
  for (const Value& operand : operands) {
    if (operand.graph() == nullptr) continue;
    return operand.graph()->Apply(OpCode::kCustomCall, operands,
                                  std::move(attributes), results);
  }
  return std::vector<Value>(static_cast<size_t>(results));
}

}  // namespace xla_byol::graph
