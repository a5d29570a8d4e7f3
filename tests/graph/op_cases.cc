#include "tests/graph/op_cases.h"

#include <utility>

namespace xla_byol::graph {

std::function<Tensor(const std::vector<Tensors>&, int)> FromInputs(
    std::function<Tensor(const Tensors&)> expected) {
  return [expected = std::move(expected)](const std::vector<Tensors>& inputs,
                                          int) { return expected(inputs[0]); };
}

void ForEach(const Dims& dims, const std::function<void(const Dims&)>& f) {
  Generate({DType::kF64, dims}, [&f](const Dims& index) {
    f(index);
    return 0.0;
  });
}

const std::vector<OpCase>& OpCases() {
  static const auto* const all = [] {
    auto* cases = new std::vector<OpCase>();
    for (auto part : {ElementwiseCases, ShapeCases, ReductionCases, WindowCases,
                      ConvolutionCases}) {
      for (OpCase& c : part()) cases->push_back(std::move(c));
    }
    return cases;
  }();
  return *all;
}

}  // namespace xla_byol::graph
