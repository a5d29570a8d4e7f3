// Runs graphs on the CPU plugin with numbers held as doubles.

#ifndef XLA_BYOL_TESTS_GRAPH_EVALUATE_H_
#define XLA_BYOL_TESTS_GRAPH_EVALUATE_H_

#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_byol/graph/graph.h"
#include "xla_byol/graph/program.h"

namespace xla_byol::graph {

// Row-major elements; every type we use but large 64-bit integers is exact.
struct Tensor {
  Shape shape;
  std::vector<double> data;

  double at(const Dims& index) const;
};

using Tensors = std::vector<Tensor>;

// Every element is f(its index).
Tensor Generate(const Shape& shape,
                const std::function<double(const Dims&)>& f);
// Uniform in [low, high); integers are rounded down.
Tensor Random(const Shape& shape, double low, double high, std::mt19937& rng);

// A custom call of these tests: (x, y) -> (x - y, factor * x + offsets[0] +
// 2 * offsets[1]), f64.
inline constexpr char kTestCall[] = "tests.two_results";
// The platform with that call.
Backend TestBackend(Backend::Platform platform);

// A compiled program. Compilers are shared by all tests of a process.
class Compiled {
 public:
  // Without LLVM's optimizations unless `optimize`: most programs run once, and
  // compiling is what takes time.
  static absl::StatusOr<Compiled> Make(const Program& program,
                                       bool optimize = false);
  ~Compiled();
  Compiled(Compiled&&);

  // One list of inputs, and of outputs, per replica.
  absl::StatusOr<std::vector<Tensors>> Run(
      const std::vector<Tensors>& inputs) const;

  // Seconds of each of `runs` executions with inputs that lie on the device.
  // For benchmarks; one replica.
  absl::StatusOr<std::vector<double>> Time(const Tensors& inputs,
                                           int runs) const;

 private:
  struct State;
  explicit Compiled(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Finish, compile and run once, with one replica.
absl::StatusOr<Tensors> Evaluate(const Graph& graph,
                                 const std::vector<Value>& outputs,
                                 const Tensors& inputs,
                                 Backend backend = Backend::kCpu);

// The largest |a - b| / (1 + |b|); infinity if shapes differ. Equal infinities
// and NaNs agree.
double Distance(const Tensor& a, const Tensor& b);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_TESTS_GRAPH_EVALUATE_H_
