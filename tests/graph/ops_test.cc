// Every op of the op table: its text, its numbers and its derivative.

#include "xla_byol/graph/ops.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tests/graph/op_cases.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/graph/program.h"

namespace xla_byol::graph {
namespace {

std::vector<Value> Parameters(Graph& graph, const OpCase& c) {
  std::vector<Value> parameters;
  for (const CaseInput& input : c.inputs) {
    parameters.push_back(
        graph.Parameter(absl::StrCat("input", parameters.size()), input.shape));
  }
  return parameters;
}

std::vector<Tensors> RandomInputs(const OpCase& c, unsigned seed) {
  std::mt19937 rng(seed);
  std::vector<Tensors> inputs(c.replicas);
  for (Tensors& replica : inputs) {
    for (const CaseInput& input : c.inputs) {
      replica.push_back(Random(input.shape, input.low, input.high, rng));
    }
  }
  return inputs;
}

class OpTest : public testing::TestWithParam<OpCase> {};

TEST_P(OpTest, BuildsItsOp) {
  const OpCase& c = GetParam();
  Graph graph(c.replicas);
  Value result = c.build(graph, Parameters(graph, c));
  ASSERT_TRUE(graph.status().ok()) << graph.status();
  EXPECT_TRUE(result.valid());
  EXPECT_TRUE(std::any_of(graph.nodes().begin(), graph.nodes().end(),
                          [&c](const Node& n) { return n.op == c.op; }));
}

TEST_P(OpTest, ComputesWhatPlainCppComputes) {
  const OpCase& c = GetParam();
  Graph graph(c.replicas);
  Value result = c.build(graph, Parameters(graph, c));
  auto program = Finish(graph, {{"result", result}},
                        {.backend = TestBackend(Backend::kCpu)});
  ASSERT_TRUE(program.ok()) << program.status();
  auto compiled = Compiled::Make(*program);
  ASSERT_TRUE(compiled.ok()) << compiled.status() << program->text;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const std::vector<Tensors> inputs = RandomInputs(c, seed);
    auto outputs = compiled->Run(inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    for (int replica = 0; replica < c.replicas; ++replica) {
      // Sums of at most 100 terms and libm's functions, in double.
      EXPECT_LT(Distance((*outputs)[replica][0], c.expected(inputs, replica)),
                1e-12)
          << program->text;
    }
  }
}

// Central differences of a random weighting of the result, in double: the step
// 1e-5 makes truncation and rounding errors about 1e-10 each.
TEST_P(OpTest, DerivativeAgreesWithFiniteDifferences) {
  const OpCase& c = GetParam();
  if (InfoOf(c.op).derivative != Derivative::kRule) GTEST_SKIP();
  constexpr double kStep = 1e-5;
  Graph graph(c.replicas);
  const std::vector<Value> parameters = Parameters(graph, c);
  Value result = c.build(graph, parameters);
  if (result.dtype() != DType::kF64) GTEST_SKIP() << "not of floats";
  std::mt19937 rng(7);
  const Tensor weights = Random(result.shape(), 0.5, 1.5, rng);
  Value loss =
      Sum(result * DenseConstant<double>(graph, result.dims(), weights.data));
  std::vector<Value> variables;
  std::vector<size_t> positions;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].dtype() != DType::kF64) continue;
    variables.push_back(parameters[i]);
    positions.push_back(i);
  }
  std::vector<Output> outputs = {{"loss", loss}};
  for (Value gradient : Grad(loss, variables)) {
    outputs.push_back({absl::StrCat("gradient", outputs.size()), gradient});
  }
  auto program = Finish(graph, outputs);
  ASSERT_TRUE(program.ok()) << program.status();
  auto compiled = Compiled::Make(*program);
  ASSERT_TRUE(compiled.ok()) << compiled.status() << program->text;
  std::vector<Tensors> inputs = RandomInputs(c, 3);
  auto results = compiled->Run(inputs);
  ASSERT_TRUE(results.ok()) << results.status();
  // With replicas the derivative is that of the sum of all losses.
  auto total = [&] {
    double sum = 0;
    auto run = compiled->Run(inputs);
    for (const Tensors& replica : *run) sum += replica[0].data[0];
    return sum;
  };
  for (int replica = 0; replica < c.replicas; ++replica) {
    for (size_t k = 0; k < variables.size(); ++k) {
      const Tensor& gradient = (*results)[replica][k + 1];
      std::vector<double>& data = inputs[replica][positions[k]].data;
      for (size_t n = 0; n < data.size(); ++n) {
        const double saved = data[n];
        data[n] = saved + kStep;
        const double above = total();
        data[n] = saved - kStep;
        const double below = total();
        data[n] = saved;
        EXPECT_NEAR(gradient.data[n], (above - below) / (2 * kStep), 1e-7)
            << "input " << positions[k] << ", element " << n << "\n"
            << program->text;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, OpTest, testing::ValuesIn(OpCases()),
                         [](const auto& test) { return test.param.name; });

// A new row in the op table must come with an entry in the cases, and a row
// with a derivative with an entry that differentiates it.
TEST(OpTableTest, EveryOpHasACase) {
  std::set<OpCode> built, differentiated;
  std::set<std::string> names;
  for (const OpCase& c : OpCases()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    built.insert(c.op);
    Graph graph(c.replicas);
    if (c.build(graph, Parameters(graph, c)).dtype() == DType::kF64) {
      differentiated.insert(c.op);
    }
  }
  for (const OpInfo& op : kOpTable) {
    EXPECT_TRUE(built.contains(op.code)) << "no case for " << op.name;
    if (op.derivative == Derivative::kRule) {
      EXPECT_TRUE(differentiated.contains(op.code))
          << "no case differentiates " << op.name;
    }
  }
}

std::vector<std::string> ReadModules(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return absl::StrSplit(text.str(), "// -----\n");
}

// The text of every case, as for a TPU: each op as it is, where a CPU's program
// has some replaced by others (lower_*.h). After a change that is meant, run
//   tools/bazel run //tests/graph:ops_test -- --gtest_filter=Golden*
// with GOLDEN_OUT=$PWD/tests/graph/testdata/ops.mlir in the environment.
TEST(GoldenTest, TextOfEveryCase) {
  std::vector<std::string> modules;
  for (const OpCase& c : OpCases()) {
    Graph graph(c.replicas);
    Value result = c.build(graph, Parameters(graph, c));
    auto program =
        Finish(graph, {{"result", result}},
               {.name = c.name, .backend = TestBackend(Backend::kTpu)});
    ASSERT_TRUE(program.ok()) << c.name << ": " << program.status();
    modules.push_back(program->text);
  }
  if (const char* path = std::getenv("GOLDEN_OUT")) {
    std::ofstream(path) << absl::StrJoin(modules, "// -----\n");
    return;
  }
  const std::vector<std::string> golden =
      ReadModules("tests/graph/testdata/ops.mlir");
  ASSERT_EQ(modules.size(), golden.size());
  for (size_t i = 0; i < modules.size(); ++i) EXPECT_EQ(modules[i], golden[i]);
}

}  // namespace
}  // namespace xla_byol::graph
