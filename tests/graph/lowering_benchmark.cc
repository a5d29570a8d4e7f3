// GFLOPS of each way to compute ResNet-50's convolutions and their gradients on
// this machine's CPU, the figures behind the table in lower_convolutions.cc;
// and GB/s of batch norm's sums, plain and as lower_reductions.cc has them.
//   tools/bazel run //tests/graph:lowering_benchmark [-- BATCH]
// Ways are timed in turns, so that a busy machine disturbs all alike; each
// figure is the best of its turns.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "tests/graph/evaluate.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/graph/lower_convolutions.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol::graph {
namespace {

struct Layer {
  int64_t size, inputs, outputs, window, stride;
};

constexpr Layer kLayers[] = {
    {224, 3, 64, 7, 2},   {56, 64, 64, 1, 1},    {56, 64, 256, 1, 1},
    {56, 256, 64, 1, 1},  {56, 64, 64, 3, 1},    {56, 128, 128, 3, 2},
    {56, 256, 512, 1, 2}, {28, 128, 128, 3, 1},  {28, 512, 128, 1, 1},
    {14, 256, 256, 3, 1}, {14, 1024, 256, 1, 1}, {14, 512, 512, 3, 2},
    {7, 512, 512, 3, 1},  {7, 512, 2048, 1, 1},
};

constexpr const char* kRoles[] = {"pointwise", "pointwise kernel",
                                  "window kernel", "other"};
constexpr const char* kWays[] = {"native", "dot", "shifted", "im2col"};

struct Timed {
  Compiled compiled;
  double best = 1e30;
};

std::optional<Timed> Compile(const Shape& lhs, const Shape& rhs,
                             const ConvAttributes& attributes,
                             ConvLowering lowering) {
  Graph graph;
  Value x = graph.Parameter("lhs", lhs);
  Value kernel = graph.Parameter("rhs", rhs);
  Value y = LowerConvolution(x, kernel, attributes, lowering);
  auto program = Finish(graph, {{"y", y}},
                        {.backend = Backend::kTpu});  // no further choice
  if (!program.ok()) return std::nullopt;
  auto compiled = Compiled::Make(*program, /*optimize=*/true);
  if (!compiled.ok()) return std::nullopt;
  return Timed{*std::move(compiled)};
}

void Measure(const char* what, const Layer& layer, const Graph& graph,
             const Node& node) {
  const Shape& lhs = graph.shape(node.operands[0]);
  const Shape& rhs = graph.shape(node.operands[1]);
  const Shape& result = graph.shape(node.first_result);
  const auto& conv = std::get<ConvAttributes>(node.attributes);
  const ConvRole role = RoleOf(lhs, rhs, result, conv);
  std::vector<ConvLowering> ways = {ConvLowering::kNative};
  if (role == ConvRole::kPointwise || role == ConvRole::kPointwiseKernel) {
    ways.push_back(ConvLowering::kDot);
  } else if (role == ConvRole::kWindowKernel) {
    ways.push_back(ConvLowering::kShiftedDots);
    ways.push_back(ConvLowering::kIm2col);
  }
  std::vector<Timed> timed;
  for (ConvLowering way : ways) {
    std::optional<Timed> one = Compile(lhs, rhs, conv, way);
    if (!one.has_value()) return;
    timed.push_back(*std::move(one));
  }
  auto halves = [](const Shape& shape) {
    return Tensor{shape, std::vector<double>(shape.elements(), 0.5)};
  };
  const Tensors inputs = {halves(lhs), halves(rhs)};
  for (int turn = 0; turn < 3; ++turn) {
    for (Timed& way : timed) {
      const auto seconds = way.compiled.Time(inputs, 4);
      if (!seconds.ok()) return;
      way.best = std::min(way.best,
                          *std::min_element(seconds->begin(), seconds->end()));
    }
  }
  // The work of the forward layer, whatever the way does.
  const double positions = static_cast<double>((layer.size / layer.stride) *
                                               (layer.size / layer.stride));
  const double flops = 2.0 * static_cast<double>(lhs.dims[0]) * positions *
                       static_cast<double>(layer.window * layer.window *
                                           layer.inputs * layer.outputs);
  std::printf("%4ld %5ld %5ld  %ldx%ld/%ld  %-8s %-17s", layer.size,
              layer.inputs, layer.outputs, layer.window, layer.window,
              layer.stride, what, kRoles[static_cast<int>(role)]);
  for (size_t i = 0; i < ways.size(); ++i) {
    std::printf("  %s %.1f", kWays[static_cast<int>(ways[i])],
                flops / timed[i].best * 1e-9);
  }
  std::printf("\n");
  std::fflush(stdout);
}

void MeasureLayer(const Layer& layer, int64_t batch) {
  Graph graph;
  Value x = graph.Parameter(
      "x", {DType::kF32, {batch, layer.size, layer.size, layer.inputs}});
  Value kernel = graph.Parameter(
      "kernel",
      {DType::kF32, {layer.window, layer.window, layer.inputs, layer.outputs}});
  Value y = Conv2d(x, kernel,
                   {.strides = {layer.stride, layer.stride},
                    .padding = Padding::Symmetric(layer.window / 2)});
  const std::vector<Value> gradients = Grad(Sum(Square(y)), {x, kernel});
  const char* const names[] = {"forward", "input", "kernel"};
  const Value results[] = {y, gradients[0], gradients[1]};
  for (int i = 0; i < 3; ++i) {
    if (i == 1 && layer.inputs == 3) continue;  // images need no gradient
    Measure(names[i], layer, graph,
            graph.nodes()[graph.producer(results[i].id())]);
  }
}

// Sums of x and of its squares, as batch norm has them.
void MeasureSums(int64_t batch, int64_t size, int64_t channels) {
  const Shape shape{DType::kF32, {2, batch / 2, size, size, channels}};
  double rates[2] = {0, 0};
  for (int turn = 0; turn < 3; ++turn) {
    for (const Backend backend : {Backend::kTpu, Backend::kCpu}) {
      Graph graph;
      const Value x = graph.Parameter("x", shape);
      auto program = Finish(graph,
                            {{"sum", ReduceSum(x, {1, 2, 3})},
                             {"squares", ReduceSum(Square(x), {1, 2, 3})}},
                            {.backend = backend});
      if (!program.ok()) return;
      auto compiled = Compiled::Make(*program, /*optimize=*/true);
      if (!compiled.ok()) return;
      const Tensor halves{shape, std::vector<double>(shape.elements(), 0.5)};
      const auto seconds = compiled->Time({halves}, 4);
      if (!seconds.ok()) return;
      double& rate = rates[backend == Backend::kCpu];
      rate = std::max(rate,
                      4e-9 * static_cast<double>(shape.elements()) /
                          *std::min_element(seconds->begin(), seconds->end()));
    }
  }
  std::printf("%4ld %5ld  plain %.1f  lowered %.1f\n", size, channels, rates[0],
              rates[1]);
}

}  // namespace
}  // namespace xla_byol::graph

int main(int argc, char** argv) {
  const int64_t batch = argc > 1 ? std::atoi(argv[1]) : 16;
  std::printf("batch %ld, GFLOPS of the forward layer's work\n", batch);
  std::printf("size    in   out  kernel  of       role\n");
  for (const auto& layer : xla_byol::graph::kLayers) {
    xla_byol::graph::MeasureLayer(layer, batch);
  }
  std::printf("\nGB/s of batch norm's sums\nsize channels\n");
  for (const auto& [size, channels] :
       {std::pair{112, 64}, {56, 256}, {28, 512}, {14, 1024}, {7, 2048}}) {
    xla_byol::graph::MeasureSums(2 * batch, size, channels);
  }
  return 0;
}
