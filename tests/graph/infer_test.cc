// Shape inference as the pure functions it is: operands and attributes to
// results' shapes or to a message. Every op of the table has rows of both
// kinds. (malformed_test.cc has the sentences that users see.)

#include "xla_byol/graph/infer.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "xla_byol/graph/conv.h"
#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {
namespace {

constexpr int64_t kReplicas = 4;

struct Row {
  OpCode op;
  Shapes operands;
  Attributes attributes;
  // The results' shapes, or the whole message.
  std::string expected;
};

Shape F32(Dims dims) { return {DType::kF32, std::move(dims)}; }
Shape BF16(Dims dims) { return {DType::kBF16, std::move(dims)}; }
Shape S32(Dims dims) { return {DType::kS32, std::move(dims)}; }
Shape U32(Dims dims) { return {DType::kU32, std::move(dims)}; }
Shape Pred(Dims dims) { return {DType::kPred, std::move(dims)}; }

constexpr char kFloats[] = "takes floats, got s32";
constexpr char kNumbers[] = "takes integers or floats, got pred";
constexpr char kLogical[] = "takes integers or pred, got f32";
constexpr char kIntegers[] = "takes integers, got f32";
constexpr char kSigned[] = "takes signed integers or floats, got u32";
constexpr char kDimensions[] = "operands have different dimensions";
constexpr char kTypes[] = "operands have types f32 and bf16, convert one";

// A region with the loop's state as parameters that yields `yielded`.
std::shared_ptr<Graph> Region(const Shapes& state, const Shape& yielded) {
  auto region = std::make_shared<Graph>();
  for (const Shape& shape : state) {
    region->Parameter("state" + std::to_string(region->parameters().size()),
                      shape);
  }
  region->set_results(region->Apply(
      OpCode::kConstant, {},
      ConstantAttributes{yielded, std::string(ByteSize(yielded.dtype), '\0')}));
  return region;
}

std::vector<Row> UnaryRows() {
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

std::vector<Row> BinaryRows() {
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
  };
}

std::vector<Row> LeafRows() {
  return {
      {OpCode::kParameter, {}, ParameterAttributes{0, "x", S32({2})}, "s32[2]"},
      {OpCode::kParameter,
       {},
       ParameterAttributes{0, "x", F32({2, -1})},
       "has a negative dimension in [2,-1]"},
      {OpCode::kConstant,
       {},
       ConstantAttributes{F32({2, 2}), std::string(16, '\0')},
       "f32[2,2]"},
      {OpCode::kConstant,
       {},
       ConstantAttributes{F32({2, 2}), std::string(4, '\0')},  // a splat
       "f32[2,2]"},
      {OpCode::kConstant,
       {},
       ConstantAttributes{F32({2, 2}), std::string(8, '\0')},
       "f32[2,2] has 16 bytes, the data has 8"},
      {OpCode::kIota, {}, IotaAttributes{S32({2, 3}), 1}, "s32[2,3]"},
      {OpCode::kIota,
       {},
       IotaAttributes{S32({2, 3}), -1},
       "dimension -1 is not in [0,2)"},
      {OpCode::kReplicaId, {}, {}, "u32[]"},
      {OpCode::kReplicaId, {F32({})}, {}, "takes 0 operands, got 1"},
  };
}

std::vector<Row> ShapeRows() {
  return {
      {OpCode::kReshape,
       {F32({2, 3})},
       ReshapeAttributes{{3, 1, 2}},
       "f32[3,1,2]"},
      {OpCode::kReshape,
       {F32({2, 3})},
       ReshapeAttributes{{5}},
       "cannot make 5 elements [5] of 6"},
      {OpCode::kBroadcastInDim,
       {F32({1, 3})},
       BroadcastAttributes{{4, 3, 2}, {2, 1}},
       "f32[4,3,2]"},
      {OpCode::kBroadcastInDim,
       {F32({2})},
       BroadcastAttributes{{3}, {0}},
       "dimension 0 of size 2 cannot become dimension 0 of [3]"},
      {OpCode::kTranspose,
       {F32({2, 3, 4})},
       TransposeAttributes{{2, 0, 1}},
       "f32[4,2,3]"},
      {OpCode::kTranspose,
       {F32({2, 3})},
       TransposeAttributes{{0, 0}},
       "dimension 0 is named twice"},
      {OpCode::kReverse, {F32({2, 3})}, ReverseAttributes{{1}}, "f32[2,3]"},
      {OpCode::kReverse,
       {F32({2, 3})},
       ReverseAttributes{{2}},
       "dimension 2 is not in [0,2)"},
      {OpCode::kSlice,
       {F32({8, 5})},
       SliceAttributes{{1, 5}, {8, 5}, {3, 1}},
       "f32[3,0]"},
      {OpCode::kSlice,
       {F32({8})},
       SliceAttributes{{3}, {2}, {1}},
       "cannot take [3,2) of dimension 0 of size 8"},
      {OpCode::kPad,
       {F32({3, 2}), F32({})},
       PadAttributes{{1, -1}, {2, 0}, {1, 0}},
       "f32[8,1]"},
      {OpCode::kPad,
       {F32({0}), F32({})},
       PadAttributes{{1}, {1}, {3}},
       "f32[2]"},  // nothing to dilate
      {OpCode::kPad,
       {F32({2}), F32({})},
       PadAttributes{{-2}, {-1}, {0}},
       "padding -2, -1 makes dimension 0 negative"},
      {OpCode::kConcatenate,
       {F32({2, 3}), F32({2, 0}), F32({2, 4})},
       ConcatenateAttributes{1},
       "f32[2,7]"},
      {OpCode::kConcatenate,
       {F32({2}), BF16({2})},
       ConcatenateAttributes{0},
       "operands must agree but in dimension 0"},
      {OpCode::kDynamicSlice,
       {F32({4, 5}), S32({}), S32({})},
       DynamicSliceAttributes{{2, 5}},
       "f32[2,5]"},
      {OpCode::kDynamicSlice,
       {F32({4}), S32({})},
       DynamicSliceAttributes{{5}},
       "cannot take 5 of dimension 0 of size 4"},
      {OpCode::kDynamicUpdateSlice,
       {F32({4}), F32({2}), S32({})},
       {},
       "f32[4]"},
      {OpCode::kDynamicUpdateSlice,
       {F32({4}), F32({5}), S32({})},
       {},
       "the update is larger in dimension 0"},
      {OpCode::kTake, {F32({4, 5}), S32({7})}, TakeAttributes{1}, "f32[4,7]"},
      {OpCode::kTake,
       {F32({4, 0}), S32({7})},
       TakeAttributes{1},
       "cannot take from an empty axis"},
      {OpCode::kScatterAdd,
       {F32({4, 5}), S32({7}), F32({4, 7})},
       TakeAttributes{1},
       "f32[4,5]"},
      {OpCode::kScatterAdd,
       {F32({4, 5}), S32({7}), F32({7, 5})},
       TakeAttributes{1},
       "updates must be f32[4,7]"},
      {OpCode::kOptimizationBarrier, {F32({2}), S32({})}, {}, "f32[2], s32[]"},
      {OpCode::kOptimizationBarrier,
       {F32({2})},
       ReshapeAttributes{{2}},
       "has another op's attributes"},
  };
}

std::vector<Row> ReductionRows() {
  const ConvAttributes conv{
      Conv2dDimensions(), {2, 1}, {{1, 1}, {0, 0}}, {1, 1}, {1, 2}};
  ConvAttributes grouped = conv;
  grouped.feature_groups = 3;
  return {
      {OpCode::kReduce,
       {F32({2, 3, 4})},
       ReduceAttributes{Combiner::kSum, {2, 0}},
       "f32[3]"},
      {OpCode::kReduce,
       {F32({2})},
       ReduceAttributes{Combiner::kOr, {0}},
       "and/or combine integers or pred, got f32"},
      {OpCode::kReduceWindow,
       {F32({6, 5})},
       WindowAttributes{
           Combiner::kMax, {2, 2}, {2, 1}, {1, 2}, {3, 1}, {{0, 1}, {1, 0}}},
       "f32[2,9]"},
      {OpCode::kReduceWindow,
       {F32({2})},
       WindowAttributes{Combiner::kMax, {3}, {1}, {1}, {1}, {{0, 0}}},
       "a window of 3 does not fit dimension 0 of padded size 2"},
      {OpCode::kSelectAndScatter,
       {F32({6}), F32({3})},
       SelectAndScatterAttributes{{2}, {2}, {{0, 0}}},
       "f32[6]"},
      {OpCode::kSelectAndScatter,
       {F32({6}), F32({6})},
       SelectAndScatterAttributes{{2}, {2}, {{0, 0}}},
       "the source must be f32[3]"},
      {OpCode::kDotGeneral,
       {F32({7, 2, 3}), F32({3, 7, 5})},
       DotAttributes{{0}, {1}, {2}, {0}},
       "f32[7,2,5]"},
      {OpCode::kDotGeneral,
       {F32({7, 3}), F32({3, 6})},
       DotAttributes{{0}, {1}, {1}, {0}},
       "batch dimensions 0 and 1 have sizes 7 and 6"},
      {OpCode::kConvolution,
       {F32({2, 8, 8, 3}), F32({3, 3, 3, 6})},
       conv,
       "f32[2,4,4,6]"},
      {OpCode::kConvolution,
       {F32({2, 8, 8, 3}), F32({3, 3, 1, 6})},
       grouped,
       "f32[2,4,4,6]"},
      {OpCode::kConvolution,
       {F32({2, 8, 8, 3}), F32({3, 3, 4, 6})},
       conv,
       "input has 3 channels, kernel expects 4"},
      {OpCode::kConvolution,
       {F32({2, 8, 8, 3}), F32({3, 3, 1, 5})},
       grouped,
       "kernel has 5 output channels for 3 groups"},
  };
}

std::vector<Row> ProgramRows() {
  const Shapes state = {F32({2})};
  const auto keeps = Region(state, F32({2}));
  const auto tests = Region(state, Pred({}));
  return {
      {OpCode::kAllReduce,
       {F32({2})},
       AllReduceAttributes{Combiner::kMax},
       "f32[2]"},
      {OpCode::kAllReduce,
       {Pred({2})},
       AllReduceAttributes{Combiner::kSum},
       "sum, max and min combine numbers, got pred"},
      {OpCode::kAllGather, {F32({2, 3})}, AllGatherAttributes{1}, "f32[2,12]"},
      {OpCode::kAllGather,
       {F32({2, 3})},
       AllGatherAttributes{2},
       "dimension 2 is not in [0,2)"},
      {OpCode::kReduceScatter,
       {F32({2, 8})},
       ReduceScatterAttributes{1},
       "f32[2,2]"},
      {OpCode::kReduceScatter,
       {F32({2, 6})},
       ReduceScatterAttributes{1},
       "dimension 1 of size 6 cannot be divided among 4 replicas"},
      {OpCode::kWhile, state, WhileAttributes{tests, keeps}, "f32[2]"},
      {OpCode::kWhile, state, WhileAttributes{keeps, keeps},
       "the condition must yield pred[]"},
      {OpCode::kWhile, state, WhileAttributes{tests, tests},
       "the body yields pred[]"},
      {OpCode::kWhile,
       {S32({})},
       WhileAttributes{tests, keeps},
       "the condition takes f32[2]"},
      {OpCode::kWhile, state, WhileAttributes{tests, nullptr}, "has no body"},
  };
}

std::vector<Row> AllRows() {
  std::vector<Row> rows;
  for (auto part : {UnaryRows, BinaryRows, LeafRows, ShapeRows, ReductionRows,
                    ProgramRows}) {
    for (Row& row : part()) rows.push_back(std::move(row));
  }
  return rows;
}

absl::StatusOr<Shapes> InferRow(const Row& row) {
  std::vector<const Shape*> operands;
  for (const Shape& shape : row.operands) operands.push_back(&shape);
  return Infer({InfoOf(row.op), operands, row.attributes, kReplicas});
}

TEST(InferTest, EachRowGivesItsShapesOrItsMessage) {
  for (const Row& row : AllRows()) {
    SCOPED_TRACE(std::string(InfoOf(row.op).name) + " of " +
                 ToString(row.operands));
    const absl::StatusOr<Shapes> shapes = InferRow(row);
    if (shapes.ok()) {
      EXPECT_EQ(ToString(*shapes), row.expected);
    } else {
      EXPECT_EQ(shapes.status().code(), absl::StatusCode::kInvalidArgument);
      EXPECT_EQ(shapes.status().message(), row.expected);
    }
  }
}

TEST(InferTest, EveryOpHasAResultAndAnError) {
  std::set<OpCode> results, errors;
  for (const Row& row : AllRows()) {
    (InferRow(row).ok() ? results : errors).insert(row.op);
  }
  for (const OpInfo& op : kOpTable) {
    EXPECT_TRUE(results.count(op.code)) << op.name << " has no result";
    EXPECT_TRUE(errors.count(op.code)) << op.name << " has no error";
  }
}

}  // namespace
}  // namespace xla_byol::graph
