// The forward values of one Rematerialization, computed again for the backward
// pass.

#ifndef XLA_BYOL_GRAPH_RECOMPUTE_H_
#define XLA_BYOL_GRAPH_RECOMPUTE_H_

#include <cstdint>
#include <map>
#include <vector>

#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

class Recompute {
 public:
  // Passes what enters the region, and the cotangents that have
  // reached its results, through one barrier: nothing is computed again before
  // the backward pass arrives. Cotangents are replaced by the barrier's.
  Recompute(Graph& graph, int32_t region, std::vector<Value>& cotangents);

  // The value itself where it is not of the region.
  Value Get(int32_t id);

 private:
  bool InRegion(int32_t id) const;

  Graph& graph_;
  int32_t checkpoint_;
  std::map<int32_t, Value> copies_;  // by id of the original
};

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_RECOMPUTE_H_
