#include "xla_byol/methods/losses.h"

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

ProbeResult ProbeLosses(Value logits, Value labels) {
  logits = Convert(logits, DType::kF32);
  const int64_t batch = logits.dim(0);
  const Value classes =
      Iota(*logits.graph(), Shape{DType::kS32, logits.dims()}, 2);
  const Value is_label =
      Convert(Compare(classes, Reshape(labels, {batch, 1, 1}), Direction::kEq),
              DType::kF32);
  // All replicas divide by the same count, so the sum over them is the mean.
  const Value labelled =
      Convert(Compare(labels, 0.0, Direction::kGe), DType::kF32);
  const Value count = Maximum(AllReduce(Sum(labelled)), 1.0);
  const Value weights = Reshape(labelled / count, {batch, 1});

  const Value largest =
      StopGradient(ReduceMax(logits, {2}, /*keep_dims=*/true));
  const Value shifted = logits - largest;
  const Value own = ReduceSum(shifted * is_label, {2});
  const Value loss = Log(ReduceSum(Exp(shifted), {2})) - own;
  // The label's logit is the largest, which is now 0.
  const Value correct = Convert(Compare(own, 0.0, Direction::kGe), DType::kF32);
  return {.loss = ReduceSum(loss * weights, {0}),
          .accuracy = ReduceSum(correct * weights, {0})};
}

ProbeResult ProbeLoss(Value logits, Value labels) {
  const ProbeResult one =
      ProbeLosses(Reshape(logits, {logits.dim(0), 1, logits.dim(1)}), labels);
  return {Reshape(one.loss, {}), Reshape(one.accuracy, {})};
}

}  // namespace xla_byol
