// How long the builder takes for a ResNet-50 at 224 pixels, forward and
// backward: the host's part of starting a run.
//   tools/bazel run //tests/graph:build_benchmark

#include <benchmark/benchmark.h>

#include "absl/strings/str_cat.h"
#include "tests/graph/resnet50.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/graph/program.h"

namespace xla_byol::graph {
namespace {

std::vector<Output> Outputs(const ResNet50& net) {
  std::vector<Output> outputs = {{"loss", net.loss}};
  for (Value gradient : Grad(net.loss, net.parameters)) {
    outputs.push_back({absl::StrCat("gradient", outputs.size()), gradient});
  }
  return outputs;
}

void BuildAndEmit(benchmark::State& state, Backend backend) {
  size_t bytes = 0;
  for (auto _ : state) {
    Graph graph;
    const auto program = Finish(graph, Outputs(BuildResNet50(graph, 256, 224)),
                                {.backend = backend});
    bytes = program.ok() ? program->text.size() : 0;
    if (!program.ok()) state.SkipWithError("does not build");
  }
  state.counters["text_bytes"] = static_cast<double>(bytes);
}
BENCHMARK_CAPTURE(BuildAndEmit, cpu, Backend::kCpu)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BuildAndEmit, tpu, Backend::kTpu)
    ->Unit(benchmark::kMillisecond);

void BuildOnly(benchmark::State& state) {
  for (auto _ : state) {
    Graph graph;
    benchmark::DoNotOptimize(Outputs(BuildResNet50(graph, 256, 224)));
  }
}
BENCHMARK(BuildOnly)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace xla_byol::graph
