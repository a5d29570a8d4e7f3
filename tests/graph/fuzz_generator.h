// Random small programs over all ops that JAX has too.

#ifndef XLA_BYOL_TESTS_GRAPH_FUZZ_GENERATOR_H_
#define XLA_BYOL_TESTS_GRAPH_FUZZ_GENERATOR_H_

#include <random>
#include <string>
#include <vector>

#include "tests/graph/evaluate.h"
#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

struct FuzzProgram {
  Tensors inputs;
  std::vector<Value> variables;           // the inputs that are floats
  std::vector<std::string> instructions;  // JSON; number i makes value i +
                                          // inputs.size()
  Value value;                            // the last value made
  int value_index;
  Value loss;                   // the sum of sines of some values
  std::vector<int> loss_terms;  // which
};

// Adds one program to the graph, with parameters named after `name`. Numbers
// stay moderate and away from kinks and poles, so that rounding does not decide
// a comparison.
FuzzProgram GenerateProgram(Graph& graph, std::mt19937& rng,
                            const std::string& name);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_TESTS_GRAPH_FUZZ_GENERATOR_H_
