#include "xla_byol/eval/classifiers.h"

#include "xla_byol/graph/ops.h"

namespace xla_byol {
namespace {

using graph::Direction;
using graph::DType;
using graph::Shape;
using graph::Value;

constexpr int kBisections = 21;  // of [-1,1]

Value AsNumber(Value condition) { return Convert(condition, DType::kF32); }

// 1 where the row counts.
Value Counted(Value labels) {
  return AsNumber(Compare(labels, 0.0, Direction::kGe));
}

// [b,c]: 1 at the label.
Value OneHot(Value labels, int64_t classes) {
  const int64_t b = labels.dim(0);
  return AsNumber(
      Compare(Iota(*labels.graph(), Shape{DType::kS32, {b, classes}}, 1),
              Reshape(labels, {b, 1}), Direction::kEq));
}

// 1 where the label is among the first `places` of scores [b,k,c]: [b,k]. Of
// equal scores the smaller class comes first, as in argmax: if all are equal,
// one class is right and not all. A row with a NaN or an infinity is wrong.
Value AmongFirst(Value scores, Value labels, double places) {
  const int64_t b = scores.dim(0), c = scores.dim(2);
  const Value one_hot = Reshape(OneHot(labels, c), {b, 1, c});
  const Value own = ReduceSum(scores * one_hot, {2}, /*keep_dims=*/true);
  const Value smaller_class =
      AsNumber(Compare(Iota(*labels.graph(), Shape{DType::kS32, {b, 1, c}}, 2),
                       Reshape(labels, {b, 1, 1}), Direction::kLt));
  const Value before =
      AsNumber(Compare(scores, own, Direction::kGt)) +
      AsNumber(Compare(scores, own, Direction::kEq)) * smaller_class;
  const Value right =
      AsNumber(Compare(ReduceSum(before, {2}), places, Direction::kLt));
  return right * AsNumber(IsFinite(ReduceSum(own, {2})));
}

}  // namespace

absl::StatusOr<NamedProgram> BuildProbeScoring(const ProbeOptions& probe,
                                               const ProgramOptions& options) {
  const int64_t k = probe.candidates, n = probe.features, c = probe.classes;
  const int64_t b = probe.batch / options.replicas;
  ProgramBuilder builder("probe_scoring", options);
  const Value w =
      builder.Input("w", TensorRole::kOnline, {DType::kF32, {k, n, c}});
  const Value bias =
      builder.Input("b", TensorRole::kOnline, {DType::kF32, {k, c}});
  const Value features =
      builder.Input("features", TensorRole::kBatch, {DType::kF32, {b, n}});
  const Value labels =
      builder.Input("labels", TensorRole::kBatch, {DType::kS32, {b}});

  const Value logits =
      DotGeneral(features, w, {.lhs_contract = {1}, .rhs_contract = {1}}) +
      bias;  // [b,k,c]
  const Value counted = Counted(labels);
  const auto among = [&](double places) {
    return AllReduce(ReduceSum(
        AmongFirst(logits, labels, places) * Reshape(counted, {b, 1}), {0}));
  };
  builder.Output("top1", TensorRole::kMetric, among(1));
  builder.Output("top5", TensorRole::kMetric, among(5));
  builder.Output("count", TensorRole::kMetric, AllReduce(Sum(counted)));
  return builder.Finish();
}

absl::StatusOr<NamedProgram> BuildNeighbourVote(const NeighbourOptions& knn,
                                                const ProgramOptions& options) {
  const int64_t n = knn.bank, d = knn.features;
  const int64_t q = knn.queries * options.replicas;
  ProgramBuilder builder("neighbour_vote", options);
  const Value bank =
      builder.Input("bank", TensorRole::kBatch, {DType::kF32, {n, d}});
  const Value bank_labels =
      builder.Input("bank_labels", TensorRole::kBatch, {DType::kS32, {n}});
  const Value own_queries = builder.Input("queries", TensorRole::kBatch,
                                          {DType::kF32, {knn.queries, d}});
  const Value own_labels =
      builder.Input("labels", TensorRole::kBatch, {DType::kS32, {knn.queries}});
  const Value queries = AllGather(own_queries, 0);
  // f32 has every label exactly, and is what all collectives take.
  const Value labels =
      Convert(AllGather(Convert(own_labels, DType::kF32), 0), DType::kS32);

  const Value cosines =
      DotGeneral(queries, bank, {.lhs_contract = {1}, .rhs_contract = {1}});
  const Value in_bank = Reshape(Counted(bank_labels), {1, n});
  // Below every cosine, so that no threshold lets it in.
  const Value similar = cosines * in_bank - 2.0 * (1.0 - in_bank);

  // More than k are above `low`, or all are; fewer than k above `high`. The
  // first `low` leaves room for a cosine of -1 with its rounding.
  Value low =
      FullLike(ReduceSum(queries, {1}, /*keep_dims=*/true), -1.0 - 1e-4);
  Value high = FullLike(low, 1.0 + 1e-4);
  for (int i = 0; i < kBisections; ++i) {
    const Value middle = 0.5 * (low + high);
    const Value above = AllReduce(
        ReduceSum(AsNumber(Compare(similar, middle, Direction::kGt)), {1},
                  /*keep_dims=*/true));
    const Value enough =
        Compare(above, static_cast<double>(knn.neighbours), Direction::kGe);
    low = Select(enough, middle, low);
    high = Select(enough, high, middle);
  }
  const Value nearest = AsNumber(Compare(similar, low, Direction::kGt));
  // exp((s - 1) / T): the same ratios, and no overflow at small T.
  const Value weights =
      nearest * Exp((similar - 1.0) * (1.0 / knn.temperature));
  const Value votes =
      AllReduce(MatMul(weights, OneHot(bank_labels, knn.classes)));  // [q,c]

  const Value counted = Counted(labels);
  const Value own = ReduceSum(votes * OneHot(labels, knn.classes), {1});
  // A NaN is nobody's neighbour: then there are no votes, and no right answer.
  const Value right =
      AsNumber(Compare(own, 0.0, Direction::kGt)) *
      Reshape(AmongFirst(Reshape(votes, {q, 1, knn.classes}), labels, 1), {q});
  builder.Output("top1", TensorRole::kMetric, Sum(right * counted));
  builder.Output("count", TensorRole::kMetric, Sum(counted));
  return builder.Finish();
}

}  // namespace xla_byol
