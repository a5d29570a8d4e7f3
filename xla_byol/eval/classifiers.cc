#include "xla_byol/eval/classifiers.h"

#include <utility>
#include <vector>

#include "xla_byol/base/status_macros.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol {
namespace {

using graph::Direction;
using graph::DType;
using graph::Graph;
using graph::Output;
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

class ProgramMaker {
 public:
  ProgramMaker(const char* name, const StepOptions& options)
      : name_(name), options_(options), graph_(options.replicas) {}

  Value Input(const char* name, TensorRole role, Shape shape) {
    step_.inputs.push_back({name, role, shape});
    return graph_.Parameter(name, shape);
  }

  absl::StatusOr<StepProgram> Finish(
      const std::vector<std::pair<const char*, Value>>& metrics) {
    std::vector<Output> outputs;
    for (const auto& [name, value] : metrics) {
      step_.outputs.push_back({name, TensorRole::kMetric, value.shape()});
      outputs.push_back({name, value});
    }
    ASSIGN_OR_RETURN(step_.program,
                     graph::Finish(graph_, outputs,
                                   {.name = name_, .target = options_.target}));
    return std::move(step_);
  }

 private:
  const char* name_;
  StepOptions options_;
  Graph graph_;
  StepProgram step_;
};

}  // namespace

absl::StatusOr<StepProgram> BuildProbeJudge(const ProbeOptions& probe,
                                            const StepOptions& options) {
  const int64_t k = probe.candidates, n = probe.features, c = probe.classes;
  const int64_t b = probe.batch / options.replicas;
  ProgramMaker make("probe_judge", options);
  const Value w =
      make.Input("w", TensorRole::kOnline, {DType::kF32, {k, n, c}});
  const Value bias =
      make.Input("b", TensorRole::kOnline, {DType::kF32, {k, c}});
  const Value features =
      make.Input("features", TensorRole::kBatch, {DType::kF32, {b, n}});
  const Value labels =
      make.Input("labels", TensorRole::kBatch, {DType::kS32, {b}});

  const Value logits =
      DotGeneral(features, w, {.lhs_contract = {1}, .rhs_contract = {1}}) +
      bias;  // [b,k,c]
  const Value own = ReduceSum(logits * Reshape(OneHot(labels, c), {b, 1, c}),
                              {2}, /*keep_dims=*/true);
  const Value better =
      ReduceSum(AsNumber(Compare(logits, own, Direction::kGt)), {2});
  const Value counted = Counted(labels);
  const auto among = [&](double places) {
    return AllReduce(
        ReduceSum(AsNumber(Compare(better, places, Direction::kLt)) *
                      Reshape(counted, {b, 1}),
                  {0}));
  };
  return make.Finish({{"top1", among(1)},
                      {"top5", among(5)},
                      {"count", AllReduce(Sum(counted))}});
}

absl::StatusOr<StepProgram> BuildNeighbourJudge(const NeighbourOptions& judge,
                                                const StepOptions& options) {
  const int64_t n = judge.bank, q = judge.queries, d = judge.features;
  ProgramMaker make("neighbour_judge", options);
  const Value bank =
      make.Input("bank", TensorRole::kBatch, {DType::kF32, {n, d}});
  const Value bank_labels =
      make.Input("bank_labels", TensorRole::kBatch, {DType::kS32, {n}});
  const Value queries =
      make.Input("queries", TensorRole::kBatch, {DType::kF32, {q, d}});
  const Value labels =
      make.Input("labels", TensorRole::kBatch, {DType::kS32, {q}});

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
        Compare(above, static_cast<double>(judge.neighbours), Direction::kGe);
    low = Select(enough, middle, low);
    high = Select(enough, high, middle);
  }
  const Value nearest = AsNumber(Compare(similar, low, Direction::kGt));
  // exp((s - 1) / T): the same ratios, and no overflow at small T.
  const Value weights =
      nearest * Exp((similar - 1.0) * (1.0 / judge.temperature));
  const Value votes =
      AllReduce(MatMul(weights, OneHot(bank_labels, judge.classes)));  // [q,c]

  const Value own = ReduceSum(votes * OneHot(labels, judge.classes), {1});
  const Value counted = Counted(labels);
  const Value right =
      AsNumber(Compare(own, ReduceMax(votes, {1}), Direction::kGe));
  return make.Finish({{"top1", Sum(right * counted)}, {"count", Sum(counted)}});
}

}  // namespace xla_byol
