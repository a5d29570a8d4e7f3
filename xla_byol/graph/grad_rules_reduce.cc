// Reductions, windows and collectives.

#include <algorithm>

#include "xla_byol/graph/collective.h"
#include "xla_byol/graph/constants.h"
#include "xla_byol/graph/elementwise.h"
#include "xla_byol/graph/grad_rules.h"
#include "xla_byol/graph/infer.h"
#include "xla_byol/graph/reduce.h"
#include "xla_byol/graph/shape_ops.h"
#include "xla_byol/graph/window.h"

namespace xla_byol::graph {
namespace {

// Each input element adds up the windows that saw it: a window sum over the
// cotangent, spread out by the strides.
void VjpWindowSum(const VjpContext& c, const WindowAttributes& a) {
  const Dims& operand = c.operand_shape(0).dims;
  const Dims& result = c.result_shape().dims;
  const size_t rank = operand.size();
  Dims low, high, interior;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t window = DilatedSize(a.window[i], a.window_dilation[i]);
    const int64_t spread = DilatedSize(result[i], a.strides[i]);
    const int64_t before = window - a.padding[i].first - 1;
    low.push_back(before);
    high.push_back(DilatedSize(operand[i], a.base_dilation[i]) + window - 1 -
                   spread - before);
    interior.push_back(a.strides[i] - 1);
  }
  Value g =
      Pad(c.cotangent(), ScalarLike(c.cotangent(), 0.0), low, high, interior);
  c.Accumulate(0, ReduceWindow(g, {Combiner::kSum, a.window, a.base_dilation,
                                   Dims(rank, 1), a.window_dilation,
                                   PaddingPairs(rank, {0, 0})}));
}

}  // namespace

void VjpReduce(const VjpContext& c) {
  const auto& [combiner, axes] = c.attributes<ReduceAttributes>();
  const Dims& dims = c.operand_shape(0).dims;
  Dims kept;
  for (int64_t axis : AllAxes(c.operand_shape(0).rank())) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
      kept.push_back(axis);
    }
  }
  if (combiner == Combiner::kSum) {
    c.Accumulate(0, BroadcastInDim(c.cotangent(), dims, kept));
    return;
  }
  // All elements that attain the maximum or minimum share the cotangent.
  Value x = c.operand(0);
  Value attained =
      Compare(x, BroadcastInDim(c.result(), dims, kept), Direction::kEq);
  Value count = ReduceSum(Convert(attained, x.dtype()), axes);
  Value share = BroadcastInDim(c.cotangent() / count, dims, kept);
  c.Accumulate(0, Select(attained, share, ScalarLike(share, 0.0)));
}

void VjpReduceWindow(const VjpContext& c) {
  const WindowAttributes& a = c.attributes<WindowAttributes>();
  if (a.combiner == Combiner::kSum) return VjpWindowSum(c, a);
  const Dims ones(a.window.size(), 1);
  if (a.base_dilation != ones || a.window_dilation != ones) {
    return c.Fail("the maximum has a derivative only without dilation");
  }
  Value x = c.operand(0);
  if (a.combiner == Combiner::kMin) x = -x;
  c.Accumulate(
      0, SelectAndScatter(x, c.cotangent(), {a.window, a.strides, a.padding}));
}

void VjpAllReduce(const VjpContext& c) {
  const AllReduceAttributes& a = c.attributes<AllReduceAttributes>();
  if (a.combiner != Combiner::kSum) {
    return c.Fail("only the sum over replicas has a derivative");
  }
  c.Accumulate(0, AllReduce(c.cotangent(), a.combiner, a.group));
}

void VjpAllGather(const VjpContext& c) {
  c.Accumulate(0, ReduceScatter(c.cotangent(),
                                c.attributes<AllGatherAttributes>().dimension));
}

void VjpReduceScatter(const VjpContext& c) {
  c.Accumulate(0, AllGather(c.cotangent(),
                            c.attributes<ReduceScatterAttributes>().dimension));
}

}  // namespace xla_byol::graph
