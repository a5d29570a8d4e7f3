#include "xla_byol/graph/lower_collectives.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "xla_byol/graph/custom_call.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/graph/program.h"

namespace xla_byol::graph {
namespace {

// A call's text has its name twice.
constexpr char kCalls[] = "call_target_name = \"xla_byol.all_reduce\"";

const Shape kVector{DType::kF32, {8}};

std::string TextOf(const Graph& graph, const std::vector<Output>& outputs,
                   int processes) {
  const Backend cpu(Backend::kCpu, {kAllReduceCall, kReduceScatterCall,
                                    kAllGatherCall, kReplicaIdCall});
  const auto program =
      Finish(graph, outputs, {.backend = cpu.AcrossProcesses(processes)});
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? program->text : "";
}

int Count(absl::string_view text, absl::string_view what) {
  int count = 0;
  for (size_t at = text.find(what); at != absl::string_view::npos;
       at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

TEST(LowerCollectivesTest, OneProcessKeepsTheCompilersOwn) {
  Graph graph(4);
  const Value sum = AllReduce(graph.Parameter("x", kVector));
  const std::string text = TextOf(graph, {{"sum", sum}}, 1);
  EXPECT_EQ(Count(text, kCalls), 0);
  EXPECT_EQ(Count(text, "stablehlo.all_reduce"), 1);
}

TEST(LowerCollectivesTest, SumsThatDependOnEquallyManyShareACall) {
  Graph graph(4);
  const Value x = graph.Parameter("x", kVector);
  const Value y = graph.Parameter("y", {DType::kF32, {2, 3}});
  // A chain of two, and beside it one that could be made at any time.
  const Value first = AllReduce(x);
  const Value second = AllReduce(first * x);
  const Value beside = AllReduce(y);
  const std::string text =
      TextOf(graph, {{"second", second}, {"beside", beside}}, 2);
  EXPECT_EQ(Count(text, "stablehlo.all_reduce"), 0);
  EXPECT_EQ(Count(text, kCalls), 2);
  EXPECT_EQ(Count(text, "num_replicas = 2"), 1);
  EXPECT_TRUE(absl::StrContains(text, "tensor<14xf32>")) << text;
}

TEST(LowerCollectivesTest, OthersGoAlone) {
  Graph graph(2);
  const Value x = graph.Parameter("x", kVector);
  const Value n = graph.Parameter("n", {DType::kS32, {8}});
  const Value large = graph.Parameter("large", {DType::kF32, {1 << 17}});
  const std::string text = TextOf(graph,
                                  {{"sum", AllReduce(x)},
                                   {"again", AllReduce(x)},
                                   {"max", AllReduce(x, Combiner::kMax)},
                                   {"count", AllReduce(n)},
                                   {"large", AllReduce(large)}},
                                  2);
  EXPECT_EQ(Count(text, kCalls), 4);
}

}  // namespace
}  // namespace xla_byol::graph
