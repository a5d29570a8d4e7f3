// One entry per op (or more): how to build it, and what it must compute, in
// plain C++. The same table serves golden text, execution, finite differences
// and the check that no op of the op table is missing.

#ifndef XLA_BYOL_TESTS_GRAPH_OP_CASES_H_
#define XLA_BYOL_TESTS_GRAPH_OP_CASES_H_

#include <functional>
#include <string>
#include <vector>

#include "tests/graph/evaluate.h"
#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

// A parameter and the range of its random numbers.
struct CaseInput {
  Shape shape;
  double low = -2;
  double high = 2;
};

struct OpCase {
  std::string name;
  OpCode op;
  std::vector<CaseInput> inputs;
  std::function<Value(Graph&, const std::vector<Value>&)> build;
  // From all replicas' inputs to one replica's result.
  std::function<Tensor(const std::vector<Tensors>&, int replica)> expected;
  int64_t replicas = 1;
};

const std::vector<OpCase>& OpCases();

// Parts of the table, by kind.
std::vector<OpCase> ElementwiseCases();
std::vector<OpCase> ShapeCases();
std::vector<OpCase> ReductionCases();  // and products, collectives
std::vector<OpCase> WindowCases();
std::vector<OpCase> ConvolutionCases();

// Makes `expected` of a program with one replica.
std::function<Tensor(const std::vector<Tensors>&, int)> FromInputs(
    std::function<Tensor(const Tensors&)> expected);

// Calls f(index) for each index of a box.
void ForEach(const Dims& dims, const std::function<void(const Dims&)>& f);

inline Shape F64(Dims dims) { return {DType::kF64, std::move(dims)}; }

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_TESTS_GRAPH_OP_CASES_H_
