#include "xla_byol/graph/reduce.h"

#include <algorithm>
#include <utility>

#include "xla_byol/graph/elementwise.h"
#include "xla_byol/graph/shape_ops.h"

namespace xla_byol::graph {

Value Reduce(Value x, Combiner combiner, Dims axes, bool keep_dims) {
  if (!x.valid()) return x;
  axes = NormalizeAxes(std::move(axes), x.rank());
  std::sort(axes.begin(), axes.end());
  Dims kept = x.dims();
  for (int64_t axis : axes) {
    if (axis >= 0 && axis < x.rank()) kept[axis] = 1;
  }
  Value result = axes.empty() ? x
                              : Apply(OpCode::kReduce, {x},
                                      ReduceAttributes{combiner, axes});
  return keep_dims ? Reshape(result, std::move(kept)) : result;
}

Value ReduceSum(Value x, Dims axes, bool keep_dims) {
  return Reduce(x, Combiner::kSum, std::move(axes), keep_dims);
}

Value ReduceMax(Value x, Dims axes, bool keep_dims) {
  return Reduce(x, Combiner::kMax, std::move(axes), keep_dims);
}

Value ReduceMin(Value x, Dims axes, bool keep_dims) {
  return Reduce(x, Combiner::kMin, std::move(axes), keep_dims);
}

Value ReduceMean(Value x, Dims axes, bool keep_dims) {
  if (!x.valid()) return x;
  if (!IsFloat(x.dtype())) {
    return x.graph()->Fail("reduce_mean", "takes floats", {x});
  }
  Value sum = ReduceSum(x, std::move(axes), keep_dims);
  if (!sum.valid() || sum.shape().elements() == 0) return sum;
  const int64_t count = x.shape().elements() / sum.shape().elements();
  return sum * (1.0 / static_cast<double>(count));
}

Value Sum(Value x) { return ReduceSum(x, AllAxes(x.rank())); }
Value Mean(Value x) { return ReduceMean(x, AllAxes(x.rank())); }

}  // namespace xla_byol::graph
