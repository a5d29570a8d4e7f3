#include "tests/graph/malformed_uses.h"

namespace xla_byol::graph {

const std::vector<Misuse>& ShapeMisuses() {
  static const auto* const list = new std::vector<Misuse>{
      {OpCode::kReshape, MALFORMED_USE(Reshape(m.matrix, {4})),
       "reshape: cannot make 4 elements [4] of 6 (f32[2,3])"},
      {OpCode::kReshape, MALFORMED_USE(Reshape(m.matrix, {4, -1})),
       "reshape: no size fits -1 in [4,-1] (f32[2,3])"},
      {OpCode::kReshape, MALFORMED_USE(Reshape(m.matrix, {-2, -3})),
       "reshape: result [-2,-3] has a value below 0 (f32[2,3])"},
      {OpCode::kReshape, MALFORMED_USE(ExpandDims(m.matrix, {9})),
       "expand_dims: axis 9 is out of range (f32[2,3])"},
      {OpCode::kBroadcastInDim,
       MALFORMED_USE(BroadcastInDim(m.matrix, {2, 3, 4}, {0})),
       "broadcast_in_dim: broadcast_dimensions [0] must name 2 dimensions "
       "(f32[2,3])"},
      {OpCode::kBroadcastInDim,
       MALFORMED_USE(BroadcastInDim(m.matrix, {2, 3}, {0, 0})),
       "broadcast_in_dim: broadcast dimension 0 is named twice (f32[2,3])"},
      {OpCode::kBroadcastInDim, MALFORMED_USE(BroadcastTo(m.matrix, {2, 4})),
       "broadcast_in_dim: dimension 1 of size 3 cannot become dimension 1 of "
       "[2,4] (f32[2,3])"},
      {OpCode::kBroadcastInDim, MALFORMED_USE(BroadcastTo(m.matrix, {3})),
       "broadcast_in_dim: broadcast dimension -1 is not in [0,1) (f32[2,3])"},
      {OpCode::kTranspose, MALFORMED_USE(Transpose(m.matrix, {0})),
       "transpose: permutation [0] must name 2 dimensions (f32[2,3])"},
      {OpCode::kTranspose, MALFORMED_USE(Transpose(m.matrix, {1, 1})),
       "transpose: dimension 1 is named twice (f32[2,3])"},
      {OpCode::kReverse, MALFORMED_USE(Reverse(m.matrix, {2})),
       "reverse: dimension 2 is not in [0,2) (f32[2,3])"},
      {OpCode::kSlice, MALFORMED_USE(Slice(m.matrix, {0, 0}, {2, 4})),
       "slice: cannot take [0,4) of dimension 1 of size 3 (f32[2,3])"},
      {OpCode::kSlice, MALFORMED_USE(Slice(m.matrix, {0}, {2})),
       "slice: start has 1 values for 2 dimensions (f32[2,3])"},
      {OpCode::kSlice, MALFORMED_USE(Slice(m.matrix, {0, 0}, {2, 3}, {1, 0})),
       "slice: strides [1,0] has a value below 1 (f32[2,3])"},
      {OpCode::kSlice, MALFORMED_USE(SliceAxis(m.matrix, 5, 0, 1)),
       "slice: there is no dimension 5 (f32[2,3])"},
      {OpCode::kPad,
       MALFORMED_USE(Pad(m.matrix, m.index, {0, 0}, {0, 0}, {0, 0})),
       "pad: the padding value must be a scalar of the operand's type "
       "(f32[2,3], s32[])"},
      {OpCode::kPad, MALFORMED_USE(Pad(m.matrix, 0.0, {-3, 0}, {0, 0})),
       "pad: padding -3, 0 makes dimension 0 negative (f32[2,3], f32[])"},
      {OpCode::kPad,
       MALFORMED_USE(Pad(m.matrix, m.scalar, {0, 0}, {0, 0}, {0, -1})),
       "pad: interior padding [0,-1] has a value below 0 (f32[2,3], f32[])"},
      {OpCode::kConcatenate,
       MALFORMED_USE(Concatenate({m.matrix, m.vector}, 0)),
       "concatenate: operands must agree but in dimension 0 (f32[2,3], "
       "f32[5])"},
      {OpCode::kConcatenate,
       MALFORMED_USE(Concatenate({m.matrix, m.matrix}, 2)),
       "concatenate: dimension 2 is not in [0,2) (f32[2,3], f32[2,3])"},
      {OpCode::kConcatenate,
       MALFORMED_USE(
           m.graph.Apply(OpCode::kConcatenate, {}, ConcatenateAttributes{0})),
       "concatenate: takes at least one operand"},
      {OpCode::kDynamicSlice,
       MALFORMED_USE(DynamicSlice(m.matrix, {m.index}, {1, 1})),
       "dynamic_slice: has 1 start indices for 2 dimensions (f32[2,3], s32[])"},
      {OpCode::kDynamicSlice,
       MALFORMED_USE(DynamicSlice(m.matrix, {m.index, m.scalar}, {1, 1})),
       "dynamic_slice: start indices must be integer scalars of one type, got "
       "f32[] (f32[2,3], s32[], f32[])"},
      {OpCode::kDynamicSlice,
       MALFORMED_USE(DynamicSlice(m.matrix, {m.index, m.index}, {3, 1})),
       "dynamic_slice: cannot take 3 of dimension 0 of size 2 (f32[2,3], "
       "s32[], "
       "s32[])"},
      {OpCode::kDynamicUpdateSlice,
       MALFORMED_USE(
           DynamicUpdateSlice(m.matrix, m.vector, {m.index, m.index})),
       "dynamic_update_slice: the update's type or rank differs (f32[2,3], "
       "f32[5], s32[], s32[])"},
      {OpCode::kDynamicUpdateSlice,
       MALFORMED_USE(DynamicUpdateSlice(m.matrix, Transpose(m.matrix),
                                        {m.index, m.index})),
       "dynamic_update_slice: the update is larger in dimension 0 (f32[2,3], "
       "f32[3,2], s32[], s32[])"},
      {OpCode::kTake, MALFORMED_USE(Take(m.matrix, m.ints, 0)),
       "gather: indices must be a vector of integers, got s32[2,3] (f32[2,3], "
       "s32[2,3])"},
      {OpCode::kTake, MALFORMED_USE(Take(m.matrix, m.rows, 2)),
       "gather: axis 2 is not in [0,2) (f32[2,3], s32[4])"},
      {OpCode::kScatterAdd,
       MALFORMED_USE(ScatterAdd(m.matrix, m.rows, m.matrix)),
       "scatter: updates must be f32[4,3] (f32[2,3], s32[4], f32[2,3])"},
      {OpCode::kOptimizationBarrier,
       MALFORMED_USE(OptimizationBarrier({m.matrix, Value()})),
       "optimization_barrier: operand 1 is not a value of any graph (f32[2,3], "
       "invalid)"},
      {OpCode::kWhile,
       MALFORMED_USE(While(
           {m.index}, [](Graph&, const Values& s) { return s; },
           [](Graph&, const Values& s) { return s; })),
       "while: the condition must yield pred[] (s32[])"},
      {OpCode::kWhile,
       MALFORMED_USE(Repeat(
           3, {m.vector},
           [](Graph&, Value, const Values& s) { return Values{Sum(s[0])}; })),
       "while: the body yields s32[], f32[] (s32[], f32[5])"},
      {OpCode::kWhile,
       MALFORMED_USE(Repeat(3, {m.vector},
                            [&m](Graph&, Value, const Values& s) {
                              return Values{s[0] + m.scalar};
                            })),
       "add: operand 1 belongs to another graph (f32[5], f32[])"},
      {OpCode::kWhile,
       MALFORMED_USE(Repeat(
           3, {m.vector},
           [&m](Graph&, Value, const Values&) { return Values{m.vector}; })),
       "while: a region yields a value of another graph, pass it through the "
       "loop's state"},
      {OpCode::kCustomCall, MALFORMED_USE(CustomCall({m.matrix}, {"f", {}})),
       "custom_call: 'f' has no result (f32[2,3])"},
  };
  return *list;
}

const std::vector<Misuse>& ReductionMisuses() {
  static const ConvAttributes* const conv = new ConvAttributes{
      Conv2dDimensions(), {1, 1}, {{0, 0}, {0, 0}}, {1, 1}, {1, 1}};
  static const auto* const list = new std::vector<Misuse>{
      {OpCode::kReduce, MALFORMED_USE(ReduceSum(m.matrix, {2})),
       "reduce: dimension 2 is not in [0,2) (f32[2,3])"},
      {OpCode::kReduce, MALFORMED_USE(ReduceSum(m.matrix, {1, -1})),
       "reduce: dimension 1 is named twice (f32[2,3])"},
      {OpCode::kReduce, MALFORMED_USE(ReduceMax(m.preds, {0})),
       "reduce: sum, max and min combine numbers, got pred (pred[2,3])"},
      {OpCode::kReduce, MALFORMED_USE(Reduce(m.matrix, Combiner::kAnd, {0})),
       "reduce: and/or combine integers or pred, got f32 (f32[2,3])"},
      {OpCode::kReduce, MALFORMED_USE(ReduceMean(m.ints, {0})),
       "reduce_mean: takes floats (s32[2,3])"},
      {OpCode::kReduceWindow, MALFORMED_USE(MaxPool2d(m.matrix, {})),
       "max_pool2d: takes images [n,h,w,c] (f32[2,3])"},
      {OpCode::kReduceWindow,
       MALFORMED_USE(MaxPool2d(m.image, {.strides = {0, 1}})),
       "max_pool2d: cannot slide a window of 2 x 2 by 0 x 1 (f32[2,8,8,3])"},
      {OpCode::kReduceWindow,
       MALFORMED_USE(MaxPool2d(m.image, {.window = {9, 1}})),
       "reduce_window: a window of 9 does not fit dimension 1 of padded size 8 "
       "(f32[2,8,8,3])"},
      {OpCode::kReduceWindow,
       MALFORMED_USE(
           ReduceWindow(m.vector, {Combiner::kSum, {2}, {1}, {1}, {1}, {}})),
       "reduce_window: padding has 0 pairs for 1 dimensions (f32[5])"},
      {OpCode::kReduceWindow, MALFORMED_USE(GlobalAvgPool2d(m.matrix)),
       "global_avg_pool2d: takes images [n,h,w,c] (f32[2,3])"},
      {OpCode::kSelectAndScatter,
       MALFORMED_USE(
           SelectAndScatter(m.vector, m.vector, {{2}, {2}, {{0, 0}}})),
       "select_and_scatter: the source must be f32[2] (f32[5], f32[5])"},
      {OpCode::kDotGeneral, MALFORMED_USE(MatMul(m.matrix, m.matrix)),
       "dot_general: contracting dimensions 1 and 0 have sizes 3 and 2 "
       "(f32[2,3], f32[2,3])"},
      {OpCode::kDotGeneral, MALFORMED_USE(MatMul(m.matrix, m.vector)),
       "matmul: takes two matrices (f32[2,3], f32[5])"},
      {OpCode::kDotGeneral, MALFORMED_USE(MatMul(m.matrix, Transpose(m.half))),
       "dot_general: operands have types f32 and bf16, convert one (f32[2,3], "
       "bf16[3,2])"},
      {OpCode::kDotGeneral,
       MALFORMED_USE(DotGeneral(m.matrix, m.matrix,
                                {.lhs_contract = {0, 1}, .rhs_contract = {0}})),
       "dot_general: contracting dimensions [0,1] and [0] do not pair up "
       "(f32[2,3], f32[2,3])"},
      {OpCode::kDotGeneral,
       MALFORMED_USE(DotGeneral(m.matrix, m.matrix,
                                {.lhs_contract = {7}, .rhs_contract = {0}})),
       "dot_general: left dimension 7 is not in [0,2) (f32[2,3], f32[2,3])"},
      {OpCode::kConvolution, MALFORMED_USE(Conv2d(m.image, m.matrix)),
       "conv2d: takes images [n,h,w,i] and a kernel [h,w,i,o] (f32[2,8,8,3], "
       "f32[2,3])"},
      {OpCode::kConvolution,
       MALFORMED_USE(Conv2d(m.image, m.kernel, {.strides = {0, 1}})),
       "conv2d: strides [0,1] and dilation [1,1] must be positive "
       "(f32[2,8,8,3], f32[3,3,3,4])"},
      {OpCode::kConvolution,
       MALFORMED_USE(Conv2d(m.image, m.kernel, {.groups = 3})),
       "convolution: input has 3 channels in 3 groups, kernel expects 3 "
       "(f32[2,8,8,3], f32[3,3,3,4])"},
      {OpCode::kConvolution,
       MALFORMED_USE(Conv2d(m.image, m.kernel, {.groups = 0})),
       "convolution: cannot use 0 feature groups and 1 batch groups "
       "(f32[2,8,8,3], f32[3,3,3,4])"},
      {OpCode::kConvolution,
       MALFORMED_USE(
           Conv2d(m.image, m.kernel,
                  {.padding = Padding::Explicit({{-4, -4}, {0, 0}})})),
       "convolution: a window of 3 does not fit spatial dimension 0 of padded "
       "size 0 (f32[2,8,8,3], f32[3,3,3,4])"},
      {OpCode::kConvolution,
       MALFORMED_USE(Convolution(m.matrix, m.kernel, *conv)),
       "convolution: operands have ranks 2 and 4 (f32[2,3], f32[3,3,3,4])"},
      {OpCode::kConvolution,
       MALFORMED_USE(Convolution(m.matrix, m.matrix, *conv)),
       "convolution: the input has rank 2, the dimension numbers name 4 "
       "(f32[2,3], f32[2,3])"},
      {OpCode::kAllReduce, MALFORMED_USE(AllReduce(m.preds)),
       "all_reduce: sum, max and min combine numbers, got pred (pred[2,3])"},
      {OpCode::kAllReduce,
       MALFORMED_USE(AllReduce(m.vector, Combiner::kSum, 3)),
       "all_reduce: 4 replicas cannot be divided into groups of 3 (f32[5])"},
      {OpCode::kAllGather, MALFORMED_USE(AllGather(m.scalar, 0)),
       "all_gather: dimension 0 is not in [0,0) (f32[])"},
      {OpCode::kReduceScatter, MALFORMED_USE(ReduceScatter(m.vector, 0)),
       "reduce_scatter: dimension 0 of size 5 cannot be divided among 4 "
       "replicas (f32[5])"},
      {OpCode::kReplicaId,
       MALFORMED_USE(m.graph.Apply(OpCode::kReplicaId, {m.scalar})),
       "replica_id: takes 0 operands, got 1 (f32[])"},
  };
  return *list;
}

}  // namespace xla_byol::graph
