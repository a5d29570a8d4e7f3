#include "xla_byol/byol/losses.h"

namespace xla_byol {
namespace {

using graph::Direction;
using graph::DType;
using graph::Shape;
using graph::Value;

// Rows of length 1; the floor is the reference's.
Value NormalizedRows(Value x) {
  const Value squares = ReduceSum(Square(x), {1}, /*keep_dims=*/true);
  return x * Rsqrt(Maximum(squares, 1e-12));
}

}  // namespace

Value RegressionLoss(Value prediction, Value target) {
  const Value difference = NormalizedRows(Convert(prediction, DType::kF32)) -
                           NormalizedRows(Convert(target, DType::kF32));
  const int64_t batch = prediction.dim(0) * prediction.graph()->replicas();
  return Sum(Square(difference)) / static_cast<double>(batch);
}

ProbeResult ProbeLoss(Value logits, Value labels) {
  logits = Convert(logits, DType::kF32);
  const Value column = Reshape(labels, {labels.dim(0), 1});
  const Value classes =
      Iota(*logits.graph(), Shape{DType::kS32, logits.dims()}, 1);
  const Value is_label =
      Convert(Compare(classes, column, Direction::kEq), DType::kF32);
  const Value labelled = ReduceSum(is_label, {1});

  const Value largest =
      StopGradient(ReduceMax(logits, {1}, /*keep_dims=*/true));
  const Value shifted = logits - largest;
  const Value log_sum = Log(ReduceSum(Exp(shifted), {1}));
  const Value own = ReduceSum(shifted * is_label, {1});
  // All replicas divide by the same count, so the sum over them is the mean.
  const Value count = Maximum(AllReduce(Sum(labelled)), 1.0);
  const Value loss = Sum(labelled * (log_sum - own)) / count;

  const Value is_largest =
      Convert(Compare(ReduceSum(logits * is_label, {1}, /*keep_dims=*/true),
                      largest, Direction::kGe),
              DType::kF32);
  const Value correct = Sum(labelled * Reshape(is_largest, {logits.dim(0)}));
  return {.loss = loss, .accuracy = correct / count};
}

}  // namespace xla_byol
