// Evaluates every method's loss and its gradients on random projections, on one
// device and on two, and writes inputs and results for compare_methods.py:
//   <case>/{z1,z2,matrix,loss,gradient1,gradient2,matrix_gradient}
//
//   method_cases FILE

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/methods/method_inputs.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/safetensors.h"

namespace xla_byol {
namespace {

using graph::Dims;
using graph::DType;
using graph::Shape;
using graph::Tensor;

struct Case {
  const char* name;  // as compare_methods.py knows it
  const char* method;
  std::vector<std::string> set;
};

const Case kCases[] = {
    {"byol", "byol", {"predictor.kind=linear"}},
    {"simsiam", "simsiam", {"predictor.kind=linear"}},
    {"barlow_twins", "barlow_twins", {}},
    {"vicreg", "vicreg", {}},
    {"liu_1", "liu", {}},
    {"liu_4", "liu", {"method.partitions=4", "method.invariance_weight=25"}},
    {"eigenmap", "eigenmap", {}},
    {"eigenmap_ordered", "eigenmap", {"method.ordered=true"}},
};

Tensor Noise(const Shape& shape, unsigned seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  return Generate(shape, [&](const Dims& at) {
    return static_cast<float>(normal(rng) + 0.1 * static_cast<double>(at[1]));
  });
}

absl::Status Run(const std::string& path) {
  std::vector<std::string> names;
  std::vector<Tensor> tensors;
  const auto add = [&](std::string name, Tensor tensor) {
    names.push_back(std::move(name));
    tensors.push_back(std::move(tensor));
  };
  struct Size {
    int images, features, devices;
  };
  for (const auto& [images, features, most] :
       {Size{8, 4, 2}, Size{24, 12, 2}, Size{64, 16, 8}}) {
    const Shape rows{DType::kF32, {images, features}};
    const Tensor z1 = Noise(rows, 1), z2 = Noise(rows, 2);
    const Tensor matrix = Noise({DType::kF32, {features, features}}, 3);
    for (const Case& one : kCases) {
      for (const int devices : {1, most}) {
        std::vector<std::string> set = one.set;
        set.push_back("execution.sharded_products_from=1");
        ASSIGN_OR_RETURN(const MethodResult result,
                         EvaluateMethod(MethodConfig(one.method, set, features,
                                                     images, devices),
                                        z1, z2, matrix, devices));
        const std::string folder =
            absl::StrCat(one.name, "/", images, "x", features, "/", devices);
        add(folder + "/z1", z1);
        add(folder + "/z2", z2);
        add(folder + "/matrix", matrix);
        add(folder + "/loss", {{DType::kF32, {}}, {result.loss}});
        add(folder + "/gradient1", result.gradient1);
        add(folder + "/gradient2", result.gradient2);
        add(folder + "/matrix_gradient", result.matrix_gradient);
      }
    }
  }
  std::vector<std::vector<float>> values;
  for (const Tensor& tensor : tensors) {
    values.emplace_back(tensor.data.begin(), tensor.data.end());
  }
  std::vector<TensorView> views;
  for (size_t i = 0; i < tensors.size(); ++i) {
    views.push_back(ViewOf<float>(names[i], tensors[i].shape.dims, values[i]));
  }
  return WriteFileAtomically(path, Safetensors(views));
}

}  // namespace
}  // namespace xla_byol

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const absl::Status status = xla_byol::Run(argv[1]);
  std::printf("%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
