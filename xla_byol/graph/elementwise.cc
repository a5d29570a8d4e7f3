#include "xla_byol/graph/elementwise.h"

#include <algorithm>
#include <vector>

#include "xla_byol/graph/constants.h"
#include "xla_byol/graph/shape_ops.h"

namespace xla_byol::graph {
namespace {

// Stretches operands to their common shape; on failure leaves them, and the op
// itself reports the mismatch with their own shapes.
std::vector<Value> Broadcasted(std::vector<Value> operands) {
  Dims common;
  for (const Value& operand : operands) {
    if (!operand.valid() || operand.graph() != operands[0].graph()) {
      return operands;
    }
    const Dims& dims = operand.dims();
    if (dims.size() > common.size()) {
      common.insert(common.begin(), dims.size() - common.size(), 1);
    }
    const size_t offset = common.size() - dims.size();
    for (size_t i = 0; i < dims.size(); ++i) {
      int64_t& size = common[offset + i];
      if (size == 1) size = dims[i];
      if (dims[i] != 1 && dims[i] != size) return operands;
    }
  }
  for (Value& operand : operands) operand = BroadcastTo(operand, common);
  return operands;
}

Value ApplyBroadcasted(OpCode op, std::vector<Value> operands,
                       Attributes attributes = NoAttributes{}) {
  return Apply(op, Broadcasted(std::move(operands)), std::move(attributes));
}

}  // namespace

#define XLA_BYOL_DEFINE(Name, ...) \
  Value Name(Value x) { return Apply(OpCode::k##Name, {x}); }
XLA_BYOL_UNARY_OPS(XLA_BYOL_DEFINE)
#undef XLA_BYOL_DEFINE

#define XLA_BYOL_DEFINE(Name, ...)                        \
  Value Name(Value lhs, Value rhs) {                      \
    return ApplyBroadcasted(OpCode::k##Name, {lhs, rhs}); \
  }                                                       \
  Value Name(Value lhs, double rhs) {                     \
    return Name(lhs, ScalarLike(lhs, rhs));               \
  }                                                       \
  Value Name(double lhs, Value rhs) { return Name(ScalarLike(rhs, lhs), rhs); }
XLA_BYOL_BINARY_OPS(XLA_BYOL_DEFINE)
#undef XLA_BYOL_DEFINE

Value Compare(Value lhs, Value rhs, Direction direction) {
  return ApplyBroadcasted(OpCode::kCompare, {lhs, rhs},
                          CompareAttributes{direction});
}

Value Compare(Value lhs, double rhs, Direction direction) {
  return Compare(lhs, ScalarLike(lhs, rhs), direction);
}

Value Select(Value condition, Value on_true, Value on_false) {
  return ApplyBroadcasted(OpCode::kSelect, {condition, on_true, on_false});
}

Value Clamp(Value low, Value x, Value high) {
  return Apply(OpCode::kClamp, {low, x, high});
}

Value Clamp(double low, Value x, double high) {
  return Clamp(ScalarLike(x, low), x, ScalarLike(x, high));
}

Value Convert(Value x, DType dtype) {
  if (x.valid() && x.dtype() == dtype) return x;
  return Apply(OpCode::kConvert, {x}, ConvertAttributes{dtype});
}

Value BitcastConvert(Value x, DType dtype) {
  if (x.valid() && x.dtype() == dtype) return x;
  return Apply(OpCode::kBitcastConvert, {x}, ConvertAttributes{dtype});
}

Value StopGradient(Value x) { return Apply(OpCode::kStopGradient, {x}); }

Value WithGradientOf(Value x, Value equal) {
  return Apply(OpCode::kWithGradientOf, {x, equal});
}

Value Square(Value x) { return Multiply(x, x); }

Value Relu(Value x) {
  // Not Maximum, whose derivative where x = 0 is a half; and this way round a
  // NaN stays one.
  return Select(Compare(x, 0.0, Direction::kLe), ScalarLike(x, 0.0), x);
}

}  // namespace xla_byol::graph
