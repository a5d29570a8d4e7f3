#include "xla_byol/optimizers/lars.h"

#include <cstdint>

namespace xla_byol {
namespace {

using graph::Dims;
using graph::Direction;
using graph::Graph;
using graph::Value;

Value SumOfSquares(Value x) { return Sum(Square(x)); }

// The scale that brings u to the size of p; 1 where either is 0, which keeps a
// tensor that starts at 0 trainable.
Value TrustRatio(const LarsOptions& options, Value p_squares, Value u_squares,
                 Value learning_rate) {
  const Value both = Minimum(p_squares, u_squares);
  Value ratio = options.trust_coefficient * Sqrt(p_squares) / Sqrt(u_squares);
  if (options.clip_trust) ratio = Minimum(ratio / learning_rate, 1.0);
  return Select(Compare(both, 0.0, Direction::kGt), ratio,
                FullLike(ratio, 1.0));
}

// The lines of the algorithm on whole tensors or on shards of them; `total`
// completes a sum over the shards.
template <typename Total>
LarsUpdate Step(const LarsOptions& options, bool scaled, Value p, Value g,
                Value m, Value learning_rate, Total total) {
  Value u = g;
  if (scaled) {
    u = g + options.weight_decay * p;
    u = u * TrustRatio(options, total(SumOfSquares(p)), total(SumOfSquares(u)),
                       learning_rate);
  }
  m = options.momentum * m + u;
  return {p - learning_rate * m, m};
}

// x as a vector whose length divides by the number of replicas.
Value Flattened(Value x, int64_t padded) {
  const int64_t elements = x.shape().elements();
  return Pad(Reshape(x, {elements}), 0.0, {0}, {padded - elements});
}

LarsUpdate ShardedStep(const LarsOptions& options, Value p, Value g, Value m,
                       Value learning_rate) {
  Graph& graph = *p.graph();
  const int64_t elements = p.shape().elements();
  const int64_t shard = (elements + graph.replicas() - 1) / graph.replicas();
  const int64_t padded = shard * graph.replicas();
  const Value start = ReplicaId(graph) * static_cast<double>(shard);
  const auto mine = [&](Value x) {
    return DynamicSlice(Flattened(x, padded), {start}, {shard});
  };
  const auto gathered = [&](Value x) {
    return Reshape(SliceAxis(AllGather(x, 0), 0, 0, elements), p.dims());
  };
  const LarsUpdate update = Step(
      options, /*scaled=*/true, mine(p), ReduceScatter(Flattened(g, padded), 0),
      mine(m), learning_rate, [](Value part) { return AllReduce(part); });
  return {gathered(update.parameter), gathered(update.momentum)};
}

}  // namespace

LarsUpdate Lars(const LarsOptions& options, Value parameter, Value gradient,
                Value momentum, Value learning_rate) {
  const bool scaled = parameter.rank() > 1;
  if (scaled && options.sharded && parameter.graph()->replicas() > 1) {
    return ShardedStep(options, parameter, gradient, momentum, learning_rate);
  }
  return Step(options, scaled, parameter, AllReduce(gradient), momentum,
              learning_rate, [](Value whole) { return whole; });
}

}  // namespace xla_byol
