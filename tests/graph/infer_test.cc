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
#include "tests/graph/infer_rows.h"
#include "xla_byol/graph/conv.h"
#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {
namespace {

constexpr int64_t kReplicas = 4;

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

std::vector<InferRow> LeafRows() {
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

std::vector<InferRow> ShapeRows() {
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

std::vector<InferRow> ReductionRows() {
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

std::vector<InferRow> ProgramRows() {
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
      {OpCode::kAllReduce,
       {F32({2})},
       AllReduceAttributes{Combiner::kSum, 2},
       "f32[2]"},
      {OpCode::kAllReduce,
       {F32({2})},
       AllReduceAttributes{Combiner::kSum, 3},
       "4 replicas cannot be divided into groups of 3"},
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
      {OpCode::kCustomCall,
       {F32({2}), S32({})},
       CustomCallAttributes{"f", {F32({3}), Pred({})}},
       "f32[3], pred[]"},
      {OpCode::kCustomCall, state, CustomCallAttributes{"", {F32({3})}},
       "calls a function without a name"},
      {OpCode::kCustomCall, state, CustomCallAttributes{"f", {}},
       "'f' has no result"},
  };
}

std::vector<InferRow> AllRows() {
  std::vector<InferRow> rows;
  for (auto part : {UnaryRows, BinaryRows, LeafRows, ShapeRows, ReductionRows,
                    ProgramRows}) {
    for (InferRow& row : part()) rows.push_back(std::move(row));
  }
  return rows;
}

absl::StatusOr<Shapes> ResultOf(const InferRow& row) {
  std::vector<const Shape*> operands;
  for (const Shape& shape : row.operands) operands.push_back(&shape);
  return Infer({InfoOf(row.op), operands, row.attributes, kReplicas});
}

TEST(InferTest, EachRowGivesItsShapesOrItsMessage) {
  for (const InferRow& row : AllRows()) {
    SCOPED_TRACE(std::string(InfoOf(row.op).name) + " of " +
                 ToString(row.operands));
    const absl::StatusOr<Shapes> shapes = ResultOf(row);
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
  for (const InferRow& row : AllRows()) {
    (ResultOf(row).ok() ? results : errors).insert(row.op);
  }
  for (const OpInfo& op : kOpTable) {
    EXPECT_TRUE(results.count(op.code)) << op.name << " has no result";
    EXPECT_TRUE(errors.count(op.code)) << op.name << " has no error";
  }
}

}  // namespace
}  // namespace xla_byol::graph
