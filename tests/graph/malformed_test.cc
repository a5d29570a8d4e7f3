// A hundred wrong uses: each leaves one clear sentence in the graph, and none
// aborts. The rows name the op, so that an op without a row is noticed.

#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/graph/program.h"

namespace xla_byol::graph {
namespace {

using Values = std::vector<Value>;

// What the wrong uses are made of.
struct Material {
  explicit Material(Graph& g) : graph(g) {}

  Graph& graph;
  Value scalar = graph.Parameter("scalar", {DType::kF32, {}});
  Value vector = graph.Parameter("vector", {DType::kF32, {5}});
  Value matrix = graph.Parameter("matrix", {DType::kF32, {2, 3}});
  Value half = graph.Parameter("half", {DType::kBF16, {2, 3}});
  Value ints = graph.Parameter("ints", {DType::kS32, {2, 3}});
  Value unsigneds = graph.Parameter("unsigneds", {DType::kU32, {2, 3}});
  Value preds = graph.Parameter("preds", {DType::kPred, {2, 3}});
  Value index = graph.Parameter("index", {DType::kS32, {}});
  Value rows = graph.Parameter("rows", {DType::kS32, {4}});
  Value image = graph.Parameter("image", {DType::kF32, {2, 8, 8, 3}});
  Value kernel = graph.Parameter("kernel", {DType::kF32, {3, 3, 3, 4}});
};

struct Misuse {
  OpCode op;
  std::function<void(Material&)> use;
  std::string message;
};

#define USE(expression) [](Material& m) { expression; }

const std::vector<Misuse>& Elementwise() {
  static const auto* const list = new std::vector<Misuse>{
      {OpCode::kAbs, USE(Abs(m.unsigneds)),
       "abs: takes signed integers or floats, got u32 (u32[2,3])"},
      {OpCode::kCeil, USE(Ceil(m.ints)),
       "ceil: takes floats, got s32 (s32[2,3])"},
      {OpCode::kCosine, USE(Cosine(m.ints)),
       "cosine: takes floats, got s32 (s32[2,3])"},
      {OpCode::kExp, USE(Exp(m.ints)),
       "exponential: takes floats, got s32 (s32[2,3])"},
      {OpCode::kExpm1, USE(Expm1(m.preds)),
       "exponential_minus_one: takes floats, got pred (pred[2,3])"},
      {OpCode::kFloor, USE(Floor(m.ints)),
       "floor: takes floats, got s32 (s32[2,3])"},
      {OpCode::kIsFinite, USE(IsFinite(m.ints)),
       "is_finite: takes floats, got s32 (s32[2,3])"},
      {OpCode::kLog, USE(Log(m.ints)), "log: takes floats, got s32 (s32[2,3])"},
      {OpCode::kLog1p, USE(Log1p(m.ints)),
       "log_plus_one: takes floats, got s32 (s32[2,3])"},
      {OpCode::kLogistic, USE(Logistic(m.ints)),
       "logistic: takes floats, got s32 (s32[2,3])"},
      {OpCode::kNegate, USE(-m.preds),
       "negate: takes integers or floats, got pred (pred[2,3])"},
      {OpCode::kNot, USE(Not(m.matrix)),
       "not: takes integers or pred, got f32 (f32[2,3])"},
      {OpCode::kRoundNearestEven, USE(RoundNearestEven(m.ints)),
       "round_nearest_even: takes floats, got s32 (s32[2,3])"},
      {OpCode::kRsqrt, USE(Rsqrt(m.ints)),
       "rsqrt: takes floats, got s32 (s32[2,3])"},
      {OpCode::kSign, USE(Sign(m.unsigneds)),
       "sign: takes signed integers or floats, got u32 (u32[2,3])"},
      {OpCode::kSine, USE(Sine(m.ints)),
       "sine: takes floats, got s32 (s32[2,3])"},
      {OpCode::kSqrt, USE(Sqrt(m.ints)),
       "sqrt: takes floats, got s32 (s32[2,3])"},
      {OpCode::kTanh, USE(Tanh(m.preds)),
       "tanh: takes floats, got pred (pred[2,3])"},
      {OpCode::kAdd, USE(m.matrix + m.vector),
       "add: operands have different dimensions (f32[2,3], f32[5])"},
      {OpCode::kAdd, USE(m.matrix + m.half),
       "add: operands have types f32 and bf16, convert one (f32[2,3], "
       "bf16[2,3])"},
      {OpCode::kAdd, USE(m.matrix + Value()),
       "add: operand 1 is not a value of any graph (f32[2,3], invalid)"},
      {OpCode::kAdd, USE(m.unsigneds + -1.0),
       "constant: -1 is not a value of u32"},
      {OpCode::kAnd, USE(And(m.matrix, m.matrix)),
       "and: takes integers or pred, got f32 (f32[2,3], f32[2,3])"},
      {OpCode::kAtan2, USE(Atan2(m.ints, m.ints)),
       "atan2: takes floats, got s32 (s32[2,3], s32[2,3])"},
      {OpCode::kDivide, USE(m.preds / m.preds),
       "divide: takes integers or floats, got pred (pred[2,3], pred[2,3])"},
      {OpCode::kMaximum, USE(Maximum(m.matrix, m.ints)),
       "maximum: operands have types f32 and s32, convert one (f32[2,3], "
       "s32[2,3])"},
      {OpCode::kMinimum, USE(Minimum(m.vector, m.matrix)),
       "minimum: operands have different dimensions (f32[5], f32[2,3])"},
      {OpCode::kMultiply, USE(m.ints * 0.5),
       "constant: 0.5 is not a value of s32"},
      {OpCode::kOr, USE(Or(m.ints, m.unsigneds)),
       "or: operands have types s32 and u32, convert one (s32[2,3], u32[2,3])"},
      {OpCode::kPower, USE(Power(m.preds, m.preds)),
       "power: takes integers or floats, got pred (pred[2,3], pred[2,3])"},
      {OpCode::kRemainder, USE(Remainder(m.matrix, m.vector)),
       "remainder: operands have different dimensions (f32[2,3], f32[5])"},
      {OpCode::kShiftLeft, USE(ShiftLeft(m.matrix, 1)),
       "shift_left: takes integers, got f32 (f32[2,3], f32[2,3])"},
      {OpCode::kShiftRightArithmetic,
       USE(ShiftRightArithmetic(m.preds, m.preds)),
       "shift_right_arithmetic: takes integers, got pred (pred[2,3], "
       "pred[2,3])"},
      {OpCode::kShiftRightLogical, USE(ShiftRightLogical(m.ints, m.unsigneds)),
       "shift_right_logical: operands have types s32 and u32, convert one "
       "(s32[2,3], u32[2,3])"},
      {OpCode::kSubtract, USE(m.image - m.matrix),
       "subtract: operands have different dimensions (f32[2,8,8,3], f32[2,3])"},
      {OpCode::kXor, USE(Xor(m.matrix, m.matrix)),
       "xor: takes integers or pred, got f32 (f32[2,3], f32[2,3])"},
      {OpCode::kParameter, USE(m.graph.Parameter("matrix", {DType::kF32, {}})),
       "parameter: the name 'matrix' is taken already by f32[2,3]"},
      {OpCode::kParameter, USE(m.graph.Parameter("", {DType::kF32, {}})),
       "Parameter: a name is needed"},
      {OpCode::kParameter, USE(m.graph.Parameter("p", {DType::kF32, {2, -3}})),
       "Parameter: has a negative dimension in [2,-3]"},
      {OpCode::kParameter,
       USE(m.graph.Parameter("p", {DType::kF32, {1 << 30, 1 << 30}})),
       "Parameter: has too many elements in [1073741824,1073741824]"},
      {OpCode::kConstant, USE(DenseConstant<float>(m.graph, {2, 2}, {1, 2, 3})),
       "constant: f32[2,2] has 16 bytes, got 12"},
      {OpCode::kConstant, USE(Constant(m.graph, 256, DType::kU8)),
       "constant: 256 is not a value of u8"},
      {OpCode::kConstant, USE(Constant(m.graph, 2, DType::kPred)),
       "constant: 2 is not a value of pred"},
      {OpCode::kConstant,
       USE(Constant(m.graph, std::numeric_limits<double>::quiet_NaN(),
                    DType::kS64)),
       "constant: nan is not a value of s64"},
      {OpCode::kConstant, USE(Splat(m.graph, 1, {DType::kF32, {-1}})),
       "constant: has a negative dimension in [-1]"},
      {OpCode::kIota, USE(Iota(m.graph, {DType::kS32, {2, 3}}, 2)),
       "iota: dimension 2 is not in [0,2)"},
      {OpCode::kIota, USE(Iota(m.graph, {DType::kPred, {2}}, 0)),
       "iota: cannot count in pred"},
      {OpCode::kCompare, USE(Compare(m.matrix, m.ints, Direction::kLt)),
       "compare: operands have types f32 and s32, convert one (f32[2,3], "
       "s32[2,3])"},
      {OpCode::kSelect, USE(Select(m.matrix, m.matrix, m.matrix)),
       "select: the condition has type f32, not pred (f32[2,3], f32[2,3], "
       "f32[2,3])"},
      {OpCode::kSelect, USE(Select(m.preds, m.matrix, m.half)),
       "select: the choices differ (pred[2,3], f32[2,3], bf16[2,3])"},
      {OpCode::kSelect, USE(Select(m.preds, m.vector, m.vector)),
       "select: the condition's dimensions differ from the choices' "
       "(pred[2,3], f32[5], f32[5])"},
      {OpCode::kClamp, USE(Clamp(m.vector, m.matrix, m.scalar)),
       "clamp: bound is neither a scalar nor shaped like the operand (f32[5], "
       "f32[2,3], f32[])"},
      {OpCode::kClamp, USE(Clamp(m.index, m.matrix, m.index)),
       "clamp: bound has type s32, the operand f32 (s32[], f32[2,3], s32[])"},
      {OpCode::kConvert,
       USE(m.graph.Apply(OpCode::kConvert, {m.matrix, m.matrix},
                         ConvertAttributes{DType::kS32})),
       "convert: takes 1 operands, got 2 (f32[2,3], f32[2,3])"},
      {OpCode::kBitcastConvert, USE(BitcastConvert(m.matrix, DType::kU64)),
       "bitcast_convert: f32 has not as many bits as u64 (f32[2,3])"},
      {OpCode::kStopGradient,
       USE(m.graph.Apply(OpCode::kStopGradient, {m.matrix, m.matrix})),
       "StopGradient: takes 1 operands, got 2 (f32[2,3], f32[2,3])"},
  };
  return *list;
}

const std::vector<Misuse>& Shapes() {
  static const auto* const list = new std::vector<Misuse>{
      {OpCode::kReshape, USE(Reshape(m.matrix, {4})),
       "reshape: cannot make 4 elements [4] of 6 (f32[2,3])"},
      {OpCode::kReshape, USE(Reshape(m.matrix, {4, -1})),
       "reshape: no size fits -1 in [4,-1] (f32[2,3])"},
      {OpCode::kReshape, USE(Reshape(m.matrix, {-2, -3})),
       "reshape: result [-2,-3] has a value below 0 (f32[2,3])"},
      {OpCode::kReshape, USE(ExpandDims(m.matrix, {9})),
       "expand_dims: axis 9 is out of range (f32[2,3])"},
      {OpCode::kBroadcastInDim, USE(BroadcastInDim(m.matrix, {2, 3, 4}, {0})),
       "broadcast_in_dim: broadcast_dimensions [0] must name 2 dimensions "
       "(f32[2,3])"},
      {OpCode::kBroadcastInDim, USE(BroadcastInDim(m.matrix, {2, 3}, {0, 0})),
       "broadcast_in_dim: broadcast dimension 0 is named twice (f32[2,3])"},
      {OpCode::kBroadcastInDim, USE(BroadcastTo(m.matrix, {2, 4})),
       "broadcast_in_dim: dimension 1 of size 3 cannot become dimension 1 of "
       "[2,4] (f32[2,3])"},
      {OpCode::kBroadcastInDim, USE(BroadcastTo(m.matrix, {3})),
       "broadcast_in_dim: broadcast dimension -1 is not in [0,1) (f32[2,3])"},
      {OpCode::kTranspose, USE(Transpose(m.matrix, {0})),
       "transpose: permutation [0] must name 2 dimensions (f32[2,3])"},
      {OpCode::kTranspose, USE(Transpose(m.matrix, {1, 1})),
       "transpose: dimension 1 is named twice (f32[2,3])"},
      {OpCode::kReverse, USE(Reverse(m.matrix, {2})),
       "reverse: dimension 2 is not in [0,2) (f32[2,3])"},
      {OpCode::kSlice, USE(Slice(m.matrix, {0, 0}, {2, 4})),
       "slice: cannot take [0,4) of dimension 1 of size 3 (f32[2,3])"},
      {OpCode::kSlice, USE(Slice(m.matrix, {0}, {2})),
       "slice: start has 1 values for 2 dimensions (f32[2,3])"},
      {OpCode::kSlice, USE(Slice(m.matrix, {0, 0}, {2, 3}, {1, 0})),
       "slice: strides [1,0] has a value below 1 (f32[2,3])"},
      {OpCode::kSlice, USE(SliceAxis(m.matrix, 5, 0, 1)),
       "slice: there is no dimension 5 (f32[2,3])"},
      {OpCode::kPad, USE(Pad(m.matrix, m.index, {0, 0}, {0, 0}, {0, 0})),
       "pad: the padding value must be a scalar of the operand's type "
       "(f32[2,3], s32[])"},
      {OpCode::kPad, USE(Pad(m.matrix, 0.0, {-3, 0}, {0, 0})),
       "pad: padding -3, 0 makes dimension 0 negative (f32[2,3], f32[])"},
      {OpCode::kPad, USE(Pad(m.matrix, m.scalar, {0, 0}, {0, 0}, {0, -1})),
       "pad: interior padding [0,-1] has a value below 0 (f32[2,3], f32[])"},
      {OpCode::kConcatenate, USE(Concatenate({m.matrix, m.vector}, 0)),
       "concatenate: operands must agree but in dimension 0 (f32[2,3], "
       "f32[5])"},
      {OpCode::kConcatenate, USE(Concatenate({m.matrix, m.matrix}, 2)),
       "concatenate: dimension 2 is not in [0,2) (f32[2,3], f32[2,3])"},
      {OpCode::kConcatenate,
       USE(m.graph.Apply(OpCode::kConcatenate, {}, ConcatenateAttributes{0})),
       "concatenate: takes at least one operand"},
      {OpCode::kDynamicSlice, USE(DynamicSlice(m.matrix, {m.index}, {1, 1})),
       "dynamic_slice: has 1 start indices for 2 dimensions (f32[2,3], s32[])"},
      {OpCode::kDynamicSlice,
       USE(DynamicSlice(m.matrix, {m.index, m.scalar}, {1, 1})),
       "dynamic_slice: start indices must be integer scalars of one type, got "
       "f32[] (f32[2,3], s32[], f32[])"},
      {OpCode::kDynamicSlice,
       USE(DynamicSlice(m.matrix, {m.index, m.index}, {3, 1})),
       "dynamic_slice: cannot take 3 of dimension 0 of size 2 (f32[2,3], "
       "s32[], "
       "s32[])"},
      {OpCode::kDynamicUpdateSlice,
       USE(DynamicUpdateSlice(m.matrix, m.vector, {m.index, m.index})),
       "dynamic_update_slice: the update's type or rank differs (f32[2,3], "
       "f32[5], s32[], s32[])"},
      {OpCode::kDynamicUpdateSlice,
       USE(DynamicUpdateSlice(m.matrix, Transpose(m.matrix),
                              {m.index, m.index})),
       "dynamic_update_slice: the update is larger in dimension 0 (f32[2,3], "
       "f32[3,2], s32[], s32[])"},
      {OpCode::kTake, USE(Take(m.matrix, m.ints, 0)),
       "gather: indices must be a vector of integers, got s32[2,3] (f32[2,3], "
       "s32[2,3])"},
      {OpCode::kTake, USE(Take(m.matrix, m.rows, 2)),
       "gather: axis 2 is not in [0,2) (f32[2,3], s32[4])"},
      {OpCode::kScatterAdd, USE(ScatterAdd(m.matrix, m.rows, m.matrix)),
       "scatter: updates must be f32[4,3] (f32[2,3], s32[4], f32[2,3])"},
      {OpCode::kOptimizationBarrier,
       USE(OptimizationBarrier({m.matrix, Value()})),
       "optimization_barrier: operand 1 is not a value of any graph (f32[2,3], "
       "invalid)"},
      {OpCode::kWhile,
       USE(While(
           {m.index}, [](Graph&, const Values& s) { return s; },
           [](Graph&, const Values& s) { return s; })),
       "while: the condition must yield pred[] (s32[])"},
      {OpCode::kWhile,
       USE(Repeat(
           3, {m.vector},
           [](Graph&, Value, const Values& s) { return Values{Sum(s[0])}; })),
       "while: the body yields s32[], f32[] (s32[], f32[5])"},
      {OpCode::kWhile,
       USE(Repeat(3, {m.vector},
                  [&m](Graph&, Value, const Values& s) {
                    return Values{s[0] + m.scalar};
                  })),
       "add: operand 1 belongs to another graph (f32[5], f32[])"},
      {OpCode::kWhile,
       USE(Repeat(
           3, {m.vector},
           [&m](Graph&, Value, const Values&) { return Values{m.vector}; })),
       "while: a region yields a value of another graph, pass it through the "
       "loop's state"},
  };
  return *list;
}

const std::vector<Misuse>& Reductions() {
  static const ConvAttributes* const conv = new ConvAttributes{
      Conv2dDimensions(), {1, 1}, {{0, 0}, {0, 0}}, {1, 1}, {1, 1}};
  static const auto* const list = new std::vector<Misuse>{
      {OpCode::kReduce, USE(ReduceSum(m.matrix, {2})),
       "reduce: dimension 2 is not in [0,2) (f32[2,3])"},
      {OpCode::kReduce, USE(ReduceSum(m.matrix, {1, -1})),
       "reduce: dimension 1 is named twice (f32[2,3])"},
      {OpCode::kReduce, USE(ReduceMax(m.preds, {0})),
       "reduce: sum, max and min combine numbers, got pred (pred[2,3])"},
      {OpCode::kReduce, USE(Reduce(m.matrix, Combiner::kAnd, {0})),
       "reduce: and/or combine integers or pred, got f32 (f32[2,3])"},
      {OpCode::kReduce, USE(ReduceMean(m.ints, {0})),
       "reduce_mean: takes floats (s32[2,3])"},
      {OpCode::kReduceWindow, USE(MaxPool2d(m.matrix, {})),
       "max_pool2d: takes images [n,h,w,c] (f32[2,3])"},
      {OpCode::kReduceWindow, USE(AvgPool2d(m.image, {.strides = {0, 1}})),
       "avg_pool2d: cannot slide a window of 2 x 2 by 0 x 1 (f32[2,8,8,3])"},
      {OpCode::kReduceWindow, USE(MaxPool2d(m.image, {.window = {9, 1}})),
       "reduce_window: a window of 9 does not fit dimension 1 of padded size 8 "
       "(f32[2,8,8,3])"},
      {OpCode::kReduceWindow,
       USE(ReduceWindow(m.vector, {Combiner::kSum, {2}, {1}, {1}, {1}, {}})),
       "reduce_window: padding has 0 pairs for 1 dimensions (f32[5])"},
      {OpCode::kReduceWindow, USE(GlobalAvgPool2d(m.matrix)),
       "global_avg_pool2d: takes images [n,h,w,c] (f32[2,3])"},
      {OpCode::kSelectAndScatter,
       USE(SelectAndScatter(m.vector, m.vector, {{2}, {2}, {{0, 0}}})),
       "select_and_scatter: the source must be f32[2] (f32[5], f32[5])"},
      {OpCode::kDotGeneral, USE(MatMul(m.matrix, m.matrix)),
       "dot_general: contracting dimensions 1 and 0 have sizes 3 and 2 "
       "(f32[2,3], f32[2,3])"},
      {OpCode::kDotGeneral, USE(MatMul(m.matrix, m.vector)),
       "matmul: takes two matrices (f32[2,3], f32[5])"},
      {OpCode::kDotGeneral, USE(MatMul(m.matrix, Transpose(m.half))),
       "dot_general: operands have types f32 and bf16, convert one (f32[2,3], "
       "bf16[3,2])"},
      {OpCode::kDotGeneral,
       USE(DotGeneral(m.matrix, m.matrix,
                      {.lhs_contract = {0, 1}, .rhs_contract = {0}})),
       "dot_general: contracting dimensions [0,1] and [0] do not pair up "
       "(f32[2,3], f32[2,3])"},
      {OpCode::kDotGeneral,
       USE(DotGeneral(m.matrix, m.matrix,
                      {.lhs_contract = {7}, .rhs_contract = {0}})),
       "dot_general: left dimension 7 is not in [0,2) (f32[2,3], f32[2,3])"},
      {OpCode::kConvolution, USE(Conv2d(m.image, m.matrix)),
       "conv2d: takes images [n,h,w,i] and a kernel [h,w,i,o] (f32[2,8,8,3], "
       "f32[2,3])"},
      {OpCode::kConvolution,
       USE(Conv2d(m.image, m.kernel, {.strides = {0, 1}})),
       "conv2d: strides [0,1] and dilation [1,1] must be positive "
       "(f32[2,8,8,3], f32[3,3,3,4])"},
      {OpCode::kConvolution, USE(Conv2d(m.image, m.kernel, {.groups = 3})),
       "convolution: input has 3 channels in 3 groups, kernel expects 3 "
       "(f32[2,8,8,3], f32[3,3,3,4])"},
      {OpCode::kConvolution, USE(Conv2d(m.image, m.kernel, {.groups = 0})),
       "convolution: cannot use 0 feature groups and 1 batch groups "
       "(f32[2,8,8,3], f32[3,3,3,4])"},
      {OpCode::kConvolution,
       USE(Conv2d(m.image, m.kernel,
                  {.padding = Padding::Explicit({{-4, -4}, {0, 0}})})),
       "convolution: a window of 3 does not fit spatial dimension 0 of padded "
       "size 0 (f32[2,8,8,3], f32[3,3,3,4])"},
      {OpCode::kConvolution, USE(Convolution(m.matrix, m.kernel, *conv)),
       "convolution: operands have ranks 2 and 4 (f32[2,3], f32[3,3,3,4])"},
      {OpCode::kConvolution, USE(Convolution(m.matrix, m.matrix, *conv)),
       "convolution: the input has rank 2, the dimension numbers name 4 "
       "(f32[2,3], f32[2,3])"},
      {OpCode::kAllReduce, USE(AllReduce(m.preds)),
       "all_reduce: sum, max and min combine numbers, got pred (pred[2,3])"},
      {OpCode::kAllGather, USE(AllGather(m.scalar, 0)),
       "all_gather: dimension 0 is not in [0,0) (f32[])"},
      {OpCode::kReduceScatter, USE(ReduceScatter(m.vector, 0)),
       "reduce_scatter: dimension 0 of size 5 cannot be divided among 4 "
       "replicas (f32[5])"},
      {OpCode::kReplicaId, USE(m.graph.Apply(OpCode::kReplicaId, {m.scalar})),
       "replica_id: takes 0 operands, got 1 (f32[])"},
  };
  return *list;
}

// Not of one op: derivatives, random numbers, attributes.
const std::vector<Misuse>& Others() {
  static const auto* const list = new std::vector<Misuse>{
      {OpCode::kAdd, USE(Grad(m.matrix, {m.matrix})),
       "grad: the loss must be a scalar (f32[2,3])"},
      {OpCode::kAdd, USE(Grad(Sum(m.matrix), {m.ints})),
       "grad: a variable must be floats (s32[2,3])"},
      {OpCode::kAdd, USE(Grad(Sum(m.ints), {m.matrix})),
       "grad: an output must be floats (s32[])"},
      {OpCode::kAdd, USE(Grad(Sum(m.matrix), {Value()})),
       "grad: a variable is not a value of this graph"},
      {OpCode::kAdd, USE(Vjp({m.matrix}, {m.scalar}, {m.matrix})),
       "grad: a cotangent must have its output's shape (f32[2,3], f32[])"},
      {OpCode::kAdd, USE(Vjp({m.matrix}, {}, {m.matrix})),
       "grad: got 0 cotangents for 1 outputs"},
      {OpCode::kWhile,
       USE(Grad(Sum(Repeat(2, {m.vector},
                           [](Graph&, Value, const Values& s) {
                             return Values{s[0] * 2.0};
                           })[0]),
                {m.vector})),
       "while: has no derivative (s32[], f32[5]) at gradient/"},
      {OpCode::kAllReduce,
       USE(Grad(Sum(AllReduce(m.vector, Combiner::kMax)), {m.vector})),
       "all_reduce: only the sum over replicas has a derivative (f32[5]) at "
       "gradient/"},
      {OpCode::kReduceWindow,
       USE(Grad(Sum(ReduceWindow(
                    m.vector, {Combiner::kMax, {2}, {1}, {1}, {2}, {{0, 0}}})),
                {m.vector})),
       "reduce_window: the maximum has a derivative only without dilation "
       "(f32[5]) at gradient/"},
      {OpCode::kXor, USE(RandomBits(m.matrix, {3})),
       "random: a key is u32[2] (f32[2,3])"},
      {OpCode::kXor, USE(FoldIn(RandomKey(m.graph, 1), m.index)),
       "fold_in: the number must be u32[] (s32[])"},
      {OpCode::kReshape, USE(m.graph.Apply(OpCode::kReshape, {m.matrix})),
       "reshape: has another op's attributes (f32[2,3])"},
      {OpCode::kAdd,
       USE(m.graph.Apply(OpCode::kAdd, {m.matrix, m.matrix},
                         ReshapeAttributes{{6}})),
       "add: has another op's attributes (f32[2,3], f32[2,3])"},
      {OpCode::kAdd, USE(m.matrix.dim(2)),
       "dim: there is no dimension 2 (f32[2,3])"},
      {OpCode::kAdd,
       USE(Graph other; other.Parameter("x", {DType::kF32, {}});
           m.scalar + Value(&other, 0)),
       "add: operand 1 belongs to another graph (f32[], f32[])"},
  };
  return *list;
}

std::vector<Misuse> All() {
  std::vector<Misuse> all;
  for (const auto* part :
       {&Elementwise(), &Shapes(), &Reductions(), &Others()}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

TEST(MalformedTest, EachUseLeavesOneSentence) {
  for (const Misuse& misuse : All()) {
    Graph graph(4);
    Material material(graph);
    misuse.use(material);
    EXPECT_EQ(std::string(graph.status().message()), misuse.message);
    // Whatever comes after is harmless, and Finish reports the first error.
    Value sum = Sum(Value(&graph, -1) * 2.0 + material.matrix);
    EXPECT_FALSE(sum.valid());
    EXPECT_EQ(Finish(graph, {{"sum", sum}}).status().message(), misuse.message);
  }
}

TEST(MalformedTest, ThereAreAHundredAndEveryOpHasOne) {
  EXPECT_GE(All().size(), 100u);
  std::set<OpCode> covered;
  for (const Misuse& misuse : All()) covered.insert(misuse.op);
  for (const OpInfo& op : kOpTable) {
    EXPECT_TRUE(covered.contains(op.code)) << "no misuse of " << op.name;
  }
}

TEST(MalformedTest, ValuesWithoutAGraphAreHarmless) {
  const Value none;
  EXPECT_FALSE((none + none).valid());
  EXPECT_FALSE((none * 2.0).valid());
  EXPECT_FALSE(Sum(Tanh(none)).valid());
  EXPECT_FALSE(Conv2d(none, none).valid());
  EXPECT_FALSE(MaxPool2d(none, {}).valid());
  EXPECT_FALSE(RandomUniform(none, {2}).valid());
  EXPECT_FALSE(Reshape(none, {2}).valid());
  EXPECT_FALSE(Concatenate({}, 0).valid());
  EXPECT_FALSE(AllReduceMean(none).valid());
  EXPECT_FALSE(Grad(none, {none})[0].valid());
  EXPECT_EQ(While({none}, nullptr, nullptr).size(), 1u);
  EXPECT_EQ(OptimizationBarrier({none, none}).size(), 2u);
}

}  // namespace
}  // namespace xla_byol::graph
