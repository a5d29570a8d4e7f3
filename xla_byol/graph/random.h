// Random numbers by Threefry-2x32 in integer ops: the same on every backend,
// and the same as jax.random's (with jax_threefry_partitionable, its default).
// A key is u32[2]; use each for one draw.

#ifndef XLA_BYOL_GRAPH_RANDOM_H_
#define XLA_BYOL_GRAPH_RANDOM_H_

#include <cstdint>

#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

// jax.random.key_data(jax.random.key(seed)).
Value RandomKey(Graph& graph, uint64_t seed);
// An independent key for each number (u32[]), such as a step or a replica id.
Value FoldIn(Value key, Value number);
// `count` independent keys, u32[count,2].
Value SplitKey(Value key, int64_t count);

// Uniform u32 in all 32 bits.
Value RandomBits(Value key, Dims dims);
// Uniform in [low, high), f32.
Value RandomUniform(Value key, Dims dims, double low = 0.0, double high = 1.0);
// Standard normal by Box-Muller, f32. (JAX inverts erf: other numbers.)
Value RandomNormal(Value key, Dims dims);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_RANDOM_H_
