// Where a function has a kink, derivatives are those of JAX, so that models
// compare: equal operands of Maximum and Minimum share the cotangent by halves.

#include "xla_byol/graph/constants.h"
#include "xla_byol/graph/elementwise.h"
#include "xla_byol/graph/grad_rules.h"
#include "xla_byol/graph/reduce.h"

namespace xla_byol::graph {
namespace {

// g where the condition holds, else 0.
Value Where(Value condition, Value g) {
  return Select(condition, g, ScalarLike(g, 0.0));
}

// What the winner of a comparison gets.
Value Share(Value mine, Value other, Direction wins, Value g) {
  return Select(Compare(mine, other, wins), g,
                Where(Compare(mine, other, Direction::kEq), g * 0.5));
}

void VjpExtreme(const VjpContext& c, Direction wins) {
  for (int i : {0, 1}) {
    if (!c.required(i)) continue;
    c.Accumulate(i, Share(c.operand(i), c.operand(1 - i), wins, c.cotangent()));
  }
}

// x with zeros replaced by ones.
Value ReplaceZero(Value x) {
  return Select(Compare(x, 0.0, Direction::kEq), ScalarLike(x, 1.0), x);
}

}  // namespace

void VjpAbs(const VjpContext& c) {
  c.Accumulate(0, c.cotangent() * Sign(c.operand(0)));
}

void VjpCosine(const VjpContext& c) {
  c.Accumulate(0, -(c.cotangent() * Sine(c.operand(0))));
}

void VjpExp(const VjpContext& c) {
  c.Accumulate(0, c.cotangent() * c.result());
}

void VjpExpm1(const VjpContext& c) {
  c.Accumulate(0, c.cotangent() * (c.result() + 1.0));
}

void VjpLog(const VjpContext& c) {
  c.Accumulate(0, c.cotangent() / c.operand(0));
}

void VjpLog1p(const VjpContext& c) {
  c.Accumulate(0, c.cotangent() / (c.operand(0) + 1.0));
}

void VjpLogistic(const VjpContext& c) {
  Value y = c.result();
  c.Accumulate(0, c.cotangent() * (y * (1.0 - y)));
}

void VjpNegate(const VjpContext& c) { c.Accumulate(0, -c.cotangent()); }

void VjpRsqrt(const VjpContext& c) {
  c.Accumulate(0, c.cotangent() * (c.result() / c.operand(0) * -0.5));
}

void VjpSine(const VjpContext& c) {
  c.Accumulate(0, c.cotangent() * Cosine(c.operand(0)));
}

void VjpSqrt(const VjpContext& c) {
  c.Accumulate(0, c.cotangent() * (0.5 / c.result()));
}

void VjpTanh(const VjpContext& c) {
  c.Accumulate(0, c.cotangent() * (1.0 - Square(c.result())));
}

void VjpAdd(const VjpContext& c) {
  c.Accumulate(0, c.cotangent());
  c.Accumulate(1, c.cotangent());
}

void VjpSubtract(const VjpContext& c) {
  c.Accumulate(0, c.cotangent());
  if (c.required(1)) c.Accumulate(1, -c.cotangent());
}

void VjpMultiply(const VjpContext& c) {
  if (c.required(0)) c.Accumulate(0, c.cotangent() * c.operand(1));
  if (c.required(1)) c.Accumulate(1, c.cotangent() * c.operand(0));
}

void VjpDivide(const VjpContext& c) {
  Value quotient = c.cotangent() / c.operand(1);
  c.Accumulate(0, quotient);
  if (c.required(1)) c.Accumulate(1, -(quotient * c.result()));
}

void VjpAtan2(const VjpContext& c) {
  Value y = c.operand(0);
  Value x = c.operand(1);
  Value scaled = c.cotangent() / (Square(x) + Square(y));
  if (c.required(0)) c.Accumulate(0, scaled * x);
  if (c.required(1)) c.Accumulate(1, -(scaled * y));
}

void VjpMaximum(const VjpContext& c) { VjpExtreme(c, Direction::kGt); }
void VjpMinimum(const VjpContext& c) { VjpExtreme(c, Direction::kLt); }

void VjpPower(const VjpContext& c) {
  Value base = c.operand(0);
  Value exponent = c.operand(1);
  if (c.required(0)) {
    // 0^(0-1) would make the product with the exponent 0 a NaN.
    Value is_zero = Compare(exponent, 0.0, Direction::kEq);
    Value lower = Select(is_zero, ScalarLike(exponent, 1.0), exponent - 1.0);
    c.Accumulate(0, c.cotangent() * (exponent * Power(base, lower)));
  }
  if (c.required(1)) {
    c.Accumulate(1, c.cotangent() * (Log(ReplaceZero(base)) * c.result()));
  }
}

void VjpRemainder(const VjpContext& c) {
  c.Accumulate(0, c.cotangent());
  if (c.required(1)) {
    Value quotient = c.operand(0) / c.operand(1);
    Value truncated = Sign(quotient) * Floor(Abs(quotient));
    c.Accumulate(1, -(c.cotangent() * truncated));
  }
}

void VjpSelect(const VjpContext& c) {
  Value condition = c.operand(0);
  Value g = c.cotangent();
  if (c.required(1)) c.Accumulate(1, Where(condition, g));
  if (c.required(2)) {
    c.Accumulate(2, Select(condition, ScalarLike(g, 0.0), g));
  }
}

void VjpClamp(const VjpContext& c) {
  Value low = c.operand(0);
  Value x = c.operand(1);
  Value high = c.operand(2);
  Value g = c.cotangent();
  auto bound = [&c](int i, Value cotangent) {
    c.Accumulate(i,
                 c.operand_shape(i).rank() == 0 ? Sum(cotangent) : cotangent);
  };
  if (c.required(0)) bound(0, Where(Compare(low, x, Direction::kGt), g));
  if (c.required(1)) {
    c.Accumulate(1, Where(And(Compare(x, low, Direction::kGt),
                              Compare(x, high, Direction::kLt)),
                          g));
  }
  if (c.required(2)) bound(2, Where(Compare(high, x, Direction::kLt), g));
}

void VjpWithGradientOf(const VjpContext& c) { c.Accumulate(1, c.cotangent()); }

void VjpConvert(const VjpContext& c) {
  c.Accumulate(0, Convert(c.cotangent(), c.operand_shape(0).dtype));
}

}  // namespace xla_byol::graph
