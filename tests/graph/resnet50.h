// ResNet-50 in plain graph ops, for tests of the builder at full size. (The nn
// package, which is above this one, has the real one.)

#ifndef XLA_BYOL_TESTS_GRAPH_RESNET50_H_
#define XLA_BYOL_TESTS_GRAPH_RESNET50_H_

#include <vector>

#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

struct ResNet50 {
  Value loss;
  std::vector<Value> parameters;  // all that are trained
};

// Images [batch,size,size,3]; convolutions without bias, each followed by batch
// norm; bottlenecks with the stride in the 3x3; the loss is some scalar.
ResNet50 BuildResNet50(Graph& graph, int64_t batch, int64_t size,
                       bool checkpoint_blocks = false);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_TESTS_GRAPH_RESNET50_H_
