// dot_general and convolution: linear in each operand, so that each derivative
// is an op of the same kind.

#include <algorithm>
#include <utility>

#include "xla_byol/graph/conv.h"
#include "xla_byol/graph/dot.h"
#include "xla_byol/graph/grad_rules.h"
#include "xla_byol/graph/infer.h"
#include "xla_byol/graph/shape_ops.h"

namespace xla_byol::graph {
namespace {

bool Contains(const Dims& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

Dims FreeAxes(int64_t rank, const Dims& batch, const Dims& contract) {
  Dims free;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (!Contains(batch, axis) && !Contains(contract, axis)) {
      free.push_back(axis);
    }
  }
  return free;
}

Dims Range(int64_t first, size_t count) {
  Dims axes = AllAxes(static_cast<int64_t>(count));
  for (int64_t& axis : axes) axis += first;
  return axes;
}

// Axes of the other operand's contracted dimensions, in ascending order, as
// axes of mine.
Dims Partners(const Dims& mine, const Dims& other) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < mine.size(); ++i) {
    pairs.emplace_back(other[i], mine[i]);
  }
  std::sort(pairs.begin(), pairs.end());
  Dims partners;
  for (const auto& pair : pairs) partners.push_back(pair.second);
  return partners;
}

Dims Joined(Dims a, const Dims& b, const Dims& c) {
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), c.begin(), c.end());
  return a;
}

// Splits `axis` into (groups, rest) and joins the groups, as the major part,
// to axis `into`.
Value MoveGroups(Value x, int64_t groups, int64_t axis, int64_t into) {
  Dims split = x.dims();
  split[axis] /= groups;
  split.insert(split.begin() + axis, groups);
  x = Reshape(x, split);
  Dims permutation = AllAxes(x.rank());
  permutation.erase(permutation.begin() + axis);
  permutation.insert(permutation.begin() + into, axis);
  x = Transpose(x, permutation);
  Dims joined = x.dims();
  joined.erase(joined.begin() + into);
  joined[into] *= groups;
  return Reshape(x, joined);
}

// The cotangent, spread out by the strides, is convolved with the kernel turned
// around; the kernel's input and output features change places.
Value ConvInputCotangent(const VjpContext& c, const ConvAttributes& a) {
  const ConvDimensions& d = a.dimensions;
  const Dims& input = c.operand_shape(0).dims;
  Value kernel = c.operand(1);
  const Dims kernel_dims = kernel.dims();
  PaddingPairs padding;
  for (size_t i = 0; i < a.strides.size(); ++i) {
    const int64_t window =
        DilatedSize(kernel_dims[d.kernel_spatial[i]], a.rhs_dilation[i]);
    const int64_t spread =
        DilatedSize(c.result_shape().dims[d.output_spatial[i]], a.strides[i]);
    const int64_t before = window - a.padding[i].first - 1;
    padding.push_back(
        {before, DilatedSize(input[d.input_spatial[i]], a.lhs_dilation[i]) +
                     window - 1 - spread - before});
  }
  const int64_t groups = a.feature_groups * a.batch_groups;
  if (groups > 1) {
    kernel = MoveGroups(kernel, groups, d.kernel_output_feature,
                        d.kernel_input_feature);
  }
  Value result = Convolution(
      c.cotangent(), Reverse(kernel, d.kernel_spatial),
      {.dimensions = {d.output_batch, d.output_feature, d.output_spatial,
                      d.kernel_output_feature, d.kernel_input_feature,
                      d.kernel_spatial, d.input_batch, d.input_feature,
                      d.input_spatial},
       .strides = a.lhs_dilation,
       .padding = padding,
       .lhs_dilation = a.strides,
       .rhs_dilation = a.rhs_dilation,
       .feature_groups = groups,
       .precision = a.precision});
  if (a.batch_groups > 1 && result.valid()) {
    result = MoveGroups(result, a.batch_groups, d.input_feature, d.input_batch);
  }
  return result;
}

// The input is convolved with the cotangent; batch and features change places,
// and so do strides and dilation.
Value ConvKernelCotangent(const VjpContext& c, const ConvAttributes& a) {
  const ConvDimensions& d = a.dimensions;
  PaddingPairs padding;
  for (size_t i = 0; i < a.strides.size(); ++i) {
    const int64_t dilated_input = DilatedSize(
        c.operand_shape(0).dims[d.input_spatial[i]], a.lhs_dilation[i]);
    const int64_t window = DilatedSize(
        c.operand_shape(1).dims[d.kernel_spatial[i]], a.rhs_dilation[i]);
    const int64_t spread =
        DilatedSize(c.result_shape().dims[d.output_spatial[i]], a.strides[i]);
    const int64_t before = a.padding[i].first;
    padding.push_back({before, spread - dilated_input + window - before - 1});
  }
  return Convolution(
      c.operand(0), c.cotangent(),
      {.dimensions = {d.input_feature, d.input_batch, d.input_spatial,
                      d.output_batch, d.output_feature, d.output_spatial,
                      d.kernel_input_feature, d.kernel_output_feature,
                      d.kernel_spatial},
       .strides = a.rhs_dilation,
       .padding = padding,
       .lhs_dilation = a.lhs_dilation,
       .rhs_dilation = a.strides,
       .feature_groups = a.batch_groups,
       .batch_groups = a.feature_groups,
       .precision = a.precision});
}

}  // namespace

void VjpDotGeneral(const VjpContext& c) {
  const DotAttributes& a = c.attributes<DotAttributes>();
  const Dims lhs_free =
      FreeAxes(c.operand_shape(0).rank(), a.lhs_batch, a.lhs_contract);
  const Dims rhs_free =
      FreeAxes(c.operand_shape(1).rank(), a.rhs_batch, a.rhs_contract);
  const size_t batch = a.lhs_batch.size();
  const Dims g_batch = Range(0, batch);
  const Dims g_lhs = Range(static_cast<int64_t>(batch), lhs_free.size());
  const Dims g_rhs =
      Range(static_cast<int64_t>(batch + lhs_free.size()), rhs_free.size());
  Value g = c.cotangent();
  if (c.required(0)) {
    Value product = DotGeneral(
        g, c.operand(1), {g_batch, a.rhs_batch, g_rhs, rhs_free, a.precision});
    c.Accumulate(
        0,
        TransposeTo(product, Joined(a.lhs_batch, lhs_free,
                                    Partners(a.lhs_contract, a.rhs_contract))));
  }
  if (c.required(1)) {
    Value product = DotGeneral(
        c.operand(0), g, {a.lhs_batch, g_batch, lhs_free, g_lhs, a.precision});
    c.Accumulate(
        1, TransposeTo(product, Joined(a.rhs_batch,
                                       Partners(a.rhs_contract, a.lhs_contract),
                                       rhs_free)));
  }
}

void VjpConvolution(const VjpContext& c) {
  const ConvAttributes& a = c.attributes<ConvAttributes>();
  if (c.required(0)) c.Accumulate(0, ConvInputCotangent(c, a));
  if (c.required(1)) c.Accumulate(1, ConvKernelCotangent(c, a));
}

}  // namespace xla_byol::graph
