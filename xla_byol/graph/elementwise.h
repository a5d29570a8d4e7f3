// Element-wise functions: one per row of the op table's unary and binary parts
// (Abs, Exp, ..., Add, Divide, ...), and what goes beyond them.
//
// Operands of one call are broadcast to each other by NumPy's rules. Types are
// never promoted: f32 + bf16 is an error; Convert says what is meant. A double
// takes the other operand's type.

#ifndef XLA_BYOL_GRAPH_ELEMENTWISE_H_
#define XLA_BYOL_GRAPH_ELEMENTWISE_H_

#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

#define XLA_BYOL_DECLARE(Name, ...) Value Name(Value x);
XLA_BYOL_UNARY_OPS(XLA_BYOL_DECLARE)
#undef XLA_BYOL_DECLARE

#define XLA_BYOL_DECLARE(Name, ...)  \
  Value Name(Value lhs, Value rhs);  \
  Value Name(Value lhs, double rhs); \
  Value Name(double lhs, Value rhs);
XLA_BYOL_BINARY_OPS(XLA_BYOL_DECLARE)
#undef XLA_BYOL_DECLARE

// NumPy's rules: align dimensions at the last, sizes 1 stretch.
Value Compare(Value lhs, Value rhs, Direction direction);
Value Compare(Value lhs, double rhs, Direction direction);
// `condition` is pred; where it holds, `on_true`.
Value Select(Value condition, Value on_true, Value on_false);
// min(max(x, low), high); bounds are scalars or shaped like x.
Value Clamp(Value low, Value x, Value high);
Value Clamp(double low, Value x, double high);
// Conversion of numbers: floats to integers truncate; x itself if it has the
// type already.
Value Convert(Value x, DType dtype);
// The same bits as another type of the same size.
Value BitcastConvert(Value x, DType dtype);
// x as a constant for Grad.
Value StopGradient(Value x);
// x, but for Grad it is `equal`: the same numbers computed in another way,
// which the program then does not compute.
Value WithGradientOf(Value x, Value equal);

Value Square(Value x);
// Derivative 0 at 0, as everywhere in machine learning.
Value Relu(Value x);

#define XLA_BYOL_OPERATOR(symbol, Name)                                  \
  inline Value operator symbol(Value a, Value b) { return Name(a, b); }  \
  inline Value operator symbol(Value a, double b) { return Name(a, b); } \
  inline Value operator symbol(double a, Value b) { return Name(a, b); }
XLA_BYOL_OPERATOR(+, Add)
XLA_BYOL_OPERATOR(-, Subtract)
XLA_BYOL_OPERATOR(*, Multiply)
XLA_BYOL_OPERATOR(/, Divide)
#undef XLA_BYOL_OPERATOR
inline Value operator-(Value x) { return Negate(x); }

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_ELEMENTWISE_H_
