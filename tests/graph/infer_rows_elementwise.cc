#include "tests/graph/infer_rows.h"

namespace xla_byol::graph {
namespace {

constexpr char kFloats[] = "takes floats, got s32";
constexpr char kNumbers[] = "takes integers or floats, got pred";
constexpr char kLogical[] = "takes integers or pred, got f32";
constexpr char kIntegers[] = "takes integers, got f32";
constexpr char kSigned[] = "takes signed integers or floats, got u32";
constexpr char kDimensions[] = "operands have different dimensions";
constexpr char kTypes[] = "operands have types f32 and bf16, convert one";

}  // namespace

std::vector<InferRow> UnaryRows() {
  return {
      {OpCode::kAbs, {S32({2, 3})}, {}, "s32[2,3]"},
      {OpCode::kAbs, {U32({2})}, {}, kSigned},
      {OpCode::kCeil, {BF16({2, 3})}, {}, "bf16[2,3]"},
      {OpCode::kCeil, {S32({2})}, {}, kFloats},
      {OpCode::kCosine, {F32({})}, {}, "f32[]"},
      {OpCode::kCosine, {S32({2})}, {}, kFloats},
      {OpCode::kExp, {F32({0, 3})}, {}, "f32[0,3]"},
      {OpCode::kExp, {S32({2})}, {}, kFloats},
      {OpCode::kExpm1, {F32({2, 3})}, {}, "f32[2,3]"},
      {OpCode::kExpm1, {S32({2})}, {}, kFloats},
      {OpCode::kFloor, {F32({2, 3})}, {}, "f32[2,3]"},
      {OpCode::kFloor, {S32({2})}, {}, kFloats},
      {OpCode::kIsFinite, {F32({2, 3})}, {}, "pred[2,3]"},
      {OpCode::kIsFinite, {S32({2})}, {}, kFloats},
      {OpCode::kLog, {F32({2, 3})}, {}, "f32[2,3]"},
      {OpCode::kLog, {S32({2})}, {}, kFloats},
      {OpCode::kLog1p, {F32({2, 3})}, {}, "f32[2,3]"},
      {OpCode::kLog1p, {S32({2})}, {}, kFloats},
      {OpCode::kLogistic, {F32({2, 3})}, {}, "f32[2,3]"},
      {OpCode::kLogistic, {S32({2})}, {}, kFloats},
      {OpCode::kNegate, {U32({2, 3})}, {}, "u32[2,3]"},
      {OpCode::kNegate, {Pred({2})}, {}, kNumbers},
      {OpCode::kNot, {Pred({2, 3})}, {}, "pred[2,3]"},
      {OpCode::kNot, {F32({2})}, {}, kLogical},
      {OpCode::kRoundNearestEven, {F32({2, 3})}, {}, "f32[2,3]"},
      {OpCode::kRoundNearestEven, {S32({2})}, {}, kFloats},
      {OpCode::kRsqrt, {F32({2, 3})}, {}, "f32[2,3]"},
      {OpCode::kRsqrt, {S32({2})}, {}, kFloats},
      {OpCode::kSign, {S32({2, 3})}, {}, "s32[2,3]"},
      {OpCode::kSign, {U32({2})}, {}, kSigned},
      {OpCode::kSine, {F32({2, 3})}, {}, "f32[2,3]"},
      {OpCode::kSine, {S32({2})}, {}, kFloats},
      {OpCode::kSqrt, {F32({2, 3})}, {}, "f32[2,3]"},
      {OpCode::kSqrt, {S32({2})}, {}, kFloats},
      {OpCode::kTanh, {F32({2, 3})}, {}, "f32[2,3]"},
      {OpCode::kTanh, {F32({2}), F32({2})}, {}, "takes 1 operands, got 2"},
  };
}

std::vector<InferRow> BinaryRows() {
  return {
      {OpCode::kAdd, {Pred({2}), Pred({2})}, {}, "pred[2]"},
      {OpCode::kAdd, {F32({2}), F32({2, 1})}, {}, kDimensions},
      {OpCode::kAnd, {S32({2}), S32({2})}, {}, "s32[2]"},
      {OpCode::kAnd, {F32({2}), F32({2})}, {}, kLogical},
      {OpCode::kAtan2, {F32({2}), F32({2})}, {}, "f32[2]"},
      {OpCode::kAtan2, {S32({2}), S32({2})}, {}, kFloats},
      {OpCode::kDivide, {U32({2}), U32({2})}, {}, "u32[2]"},
      {OpCode::kDivide, {Pred({2}), Pred({2})}, {}, kNumbers},
      {OpCode::kMaximum, {BF16({2}), BF16({2})}, {}, "bf16[2]"},
      {OpCode::kMaximum, {F32({2}), BF16({2})}, {}, kTypes},
      {OpCode::kMinimum, {F32({}), F32({})}, {}, "f32[]"},
      {OpCode::kMinimum, {F32({2}), F32({})}, {}, kDimensions},
      {OpCode::kMultiply, {S32({2}), S32({2})}, {}, "s32[2]"},
      {OpCode::kMultiply, {F32({2}), BF16({2})}, {}, kTypes},
      {OpCode::kOr, {Pred({2}), Pred({2})}, {}, "pred[2]"},
      {OpCode::kOr, {F32({2}), F32({2})}, {}, kLogical},
      {OpCode::kPower, {F32({2}), F32({2})}, {}, "f32[2]"},
      {OpCode::kPower, {Pred({2}), Pred({2})}, {}, kNumbers},
      {OpCode::kRemainder, {S32({2}), S32({2})}, {}, "s32[2]"},
      {OpCode::kRemainder, {Pred({2}), Pred({2})}, {}, kNumbers},
      {OpCode::kShiftLeft, {U32({2}), U32({2})}, {}, "u32[2]"},
      {OpCode::kShiftLeft, {F32({2}), F32({2})}, {}, kIntegers},
      {OpCode::kShiftRightArithmetic, {S32({2}), S32({2})}, {}, "s32[2]"},
      {OpCode::kShiftRightArithmetic, {F32({2}), F32({2})}, {}, kIntegers},
      {OpCode::kShiftRightLogical, {U32({2}), U32({2})}, {}, "u32[2]"},
      {OpCode::kShiftRightLogical, {F32({2}), F32({2})}, {}, kIntegers},
      {OpCode::kSubtract, {F32({2}), F32({2})}, {}, "f32[2]"},
      {OpCode::kSubtract, {F32({2})}, {}, "takes 2 operands, got 1"},
      {OpCode::kXor, {U32({2}), U32({2})}, {}, "u32[2]"},
      {OpCode::kXor, {F32({2}), F32({2})}, {}, kLogical},
      {OpCode::kCompare,
       {F32({2}), F32({2})},
       CompareAttributes{Direction::kLt},
       "pred[2]"},
      {OpCode::kCompare,
       {F32({2}), BF16({2})},
       CompareAttributes{Direction::kLt},
       kTypes},
      {OpCode::kSelect, {Pred({2}), F32({2}), F32({2})}, {}, "f32[2]"},
      {OpCode::kSelect, {Pred({}), S32({2}), S32({2})}, {}, "s32[2]"},
      {OpCode::kSelect,
       {Pred({3}), F32({2}), F32({2})},
       {},
       "the condition's dimensions differ from the choices'"},
      {OpCode::kClamp, {F32({}), F32({2}), F32({2})}, {}, "f32[2]"},
      {OpCode::kClamp,
       {F32({}), F32({2}), F32({3})},
       {},
       "bound is neither a scalar nor shaped like the operand"},
      {OpCode::kConvert,
       {F32({2})},
       ConvertAttributes{DType::kPred},
       "pred[2]"},
      {OpCode::kConvert, {F32({2})}, {}, "has another op's attributes"},
      {OpCode::kBitcastConvert,
       {F32({2})},
       ConvertAttributes{DType::kU32},
       "u32[2]"},
      {OpCode::kBitcastConvert,
       {F32({2})},
       ConvertAttributes{DType::kBF16},
       "f32 has not as many bits as bf16"},
      {OpCode::kStopGradient, {BF16({2})}, {}, "bf16[2]"},
      {OpCode::kStopGradient, {}, {}, "takes 1 operands, got 0"},
      {OpCode::kWithGradientOf, {F32({2}), F32({2})}, {}, "f32[2]"},
      {OpCode::kWithGradientOf,
       {F32({2}), F32({3})},
       {},
       "operands have different dimensions"},
  };
}

}  // namespace xla_byol::graph
