#include "xla_byol/optimizers/optimizer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace xla_byol {
namespace {

using graph::Graph;
using graph::Value;

constexpr const OptimizerRow* kOptimizers[] = {&kLars, &kSgd, &kAdamW};

// Rows that a TPU reads together.
constexpr int64_t kSublanes = 8;

// x as a vector whose length divides by the number of replicas.
Value Flattened(Value x, int64_t padded) {
  const int64_t elements = x.shape().elements();
  return Pad(Reshape(x, {elements}), 0.0, {0}, {padded - elements});
}

// A collective of a gradient, in bf16 if that is wanted.
Value Exchanged(const Config& config, Value gradient,
                absl::FunctionRef<Value(Value)> collective) {
  if (!config.execution().bf16_gradients()) return collective(gradient);
  return Convert(collective(Convert(gradient, graph::DType::kBF16)),
                 gradient.dtype());
}

UpdateResult ShardedUpdate(const OptimizerRow& row, const Config& config,
                           const UpdateInput& whole) {
  Graph& graph = *whole.parameter.graph();
  const int64_t elements = whole.parameter.shape().elements();
  const int64_t shard = (elements + graph.replicas() - 1) / graph.replicas();
  const int64_t padded = shard * graph.replicas();
  const Value start = ReplicaId(graph) * static_cast<double>(shard);
  const auto mine = [&](Value x) {
    return DynamicSlice(Flattened(x, padded), {start}, {shard});
  };
  UpdateInput share = {.learning_rate = whole.learning_rate,
                       .scalars = whole.scalars,
                       .is_matrix = whole.is_matrix,
                       .decays = whole.decays,
                       .total = [](Value part) { return AllReduce(part); }};
  for (const Value slot : whole.slots) share.slots.push_back(mine(slot));
  share.gradient = Exchanged(config, Flattened(whole.gradient, padded),
                             [](Value x) { return ReduceScatter(x, 0); });
  share.parameter = mine(whole.parameter);
  share.summed_parameter = share.parameter;
  share.summed_gradient = share.gradient;

  UpdateResult result = row.update(config.optimizer(), share);
  const auto gathered = [&](Value x) {
    return Reshape(SliceAxis(AllGather(x, 0), 0, 0, elements),
                   whole.parameter.dims());
  };
  result.parameter = gathered(result.parameter);
  for (Value& slot : result.slots) slot = gathered(slot);
  return result;
}

// Divides the sums over a whole matrix among the replicas: by rows of its last
// dimension but one, which keeps the parts whole in a TPU's memory. Where there
// are fewer parts than replicas, several take the same one.
void DivideSums(UpdateInput& in) {
  Graph& graph = *in.parameter.graph();
  const int64_t replicas = graph.replicas();
  const int64_t axis = in.parameter.rank() - 2;
  const int64_t rows = in.parameter.dim(axis);
  int64_t parts = std::min(replicas, rows / kSublanes);
  while (parts > 1 && (replicas % parts != 0 || rows % parts != 0)) --parts;
  if (parts <= 1) return;
  const int64_t size = rows / parts;
  const Value part = Remainder(ReplicaId(graph), static_cast<double>(parts));
  const Value zero = graph::ScalarLike(part, 0);
  std::vector<Value> starts(static_cast<size_t>(in.parameter.rank()), zero);
  starts[static_cast<size_t>(axis)] = part * static_cast<double>(size);
  graph::Dims sizes = in.parameter.dims();
  sizes[static_cast<size_t>(axis)] = size;
  in.summed_parameter = DynamicSlice(in.parameter, starts, sizes);
  in.summed_gradient = DynamicSlice(in.gradient, starts, sizes);
  const double copies = static_cast<double>(replicas / parts);
  in.total = [copies](Value sum) { return AllReduce(sum) / copies; };
}

}  // namespace

absl::Span<const OptimizerRow* const> Optimizers() { return kOptimizers; }

const OptimizerRow* FindOptimizer(Optimizer::Kind kind) {
  for (const OptimizerRow* row : kOptimizers) {
    if (row->kind == kind) return row;
  }
  return nullptr;
}

std::string SlotPath(absl::string_view slot, absl::string_view online_path) {
  return absl::StrCat(slot, "/", absl::StripPrefix(online_path, "online/"));
}

UpdateResult UpdateTensor(const Config& config, Value parameter, Value gradient,
                          const std::vector<Value>& slots, Value learning_rate,
                          const std::vector<Value>& scalars) {
  const OptimizerRow& row = *FindOptimizer(config.optimizer().kind());
  const Optimizer::Decayed decayed = config.optimizer().decayed();
  const bool decays_vectors = decayed == Optimizer::BY_KIND
                                  ? row.decays_vectors
                                  : decayed == Optimizer::ALL;
  UpdateInput input = {.parameter = parameter,
                       .gradient = gradient,
                       .slots = slots,
                       .learning_rate = learning_rate,
                       .scalars = scalars,
                       .is_matrix = parameter.rank() > 1,
                       .decays = parameter.rank() > 1 || decays_vectors,
                       .total = [](Value sum) { return sum; }};
  const bool divisible = input.is_matrix && parameter.graph()->replicas() > 1;
  if (divisible && config.execution().sharded_update()) {
    return ShardedUpdate(row, config, input);
  }
  input.gradient =
      Exchanged(config, gradient, [](Value x) { return AllReduce(x); });
  input.summed_parameter = input.parameter;
  input.summed_gradient = input.gradient;
  if (divisible && config.execution().sharded_norms()) DivideSums(input);
  return row.update(config.optimizer(), input);
}

}  // namespace xla_byol
