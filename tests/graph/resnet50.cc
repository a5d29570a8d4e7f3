#include "tests/graph/resnet50.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol::graph {
namespace {

class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}

  Value ConvNorm(const std::string& name, Value x, int64_t window,
                 int64_t outputs, int64_t stride) {
    Scope scope(graph_, name);
    Value kernel = Weight("w", {window, window, x.dim(3), outputs});
    Value y = Conv2d(x, kernel,
                     {.strides = {stride, stride},
                      .padding = Padding::Symmetric(window / 2)});
    Value mean = ReduceMean(y, {0, 1, 2});
    Value centered = y - mean;
    Value variance = ReduceMean(Square(centered), {0, 1, 2});
    Value scale = Weight("scale", {outputs}) * Rsqrt(variance + 1e-5);
    return centered * scale + Weight("offset", {outputs});
  }

  Value Bottleneck(const std::string& name, Value x, int64_t width,
                   int64_t stride) {
    Scope scope(graph_, name);
    Value y = Relu(ConvNorm("conv1", x, 1, width, 1));
    y = Relu(ConvNorm("conv2", y, 3, width, stride));
    y = ConvNorm("conv3", y, 1, 4 * width, 1);
    const bool same = stride == 1 && x.dim(3) == 4 * width;
    Value shortcut = same ? x : ConvNorm("shortcut", x, 1, 4 * width, stride);
    return Relu(y + shortcut);
  }

  Value Weight(const std::string& name, Dims dims) {
    const std::string path =
        absl::StrCat(graph_.scope(graph_.current_scope()).path, "/", name);
    parameters.push_back(graph_.Parameter(path, {DType::kF32, dims}));
    return parameters.back();
  }

  std::vector<Value> parameters;

 private:
  Graph& graph_;
};

}  // namespace

ResNet50 BuildResNet50(Graph& graph, int64_t batch, int64_t size,
                       bool checkpoint_blocks) {
  Builder builder(graph);
  Value x = graph.Parameter("images", {DType::kF32, {batch, size, size, 3}});
  Scope scope(graph, "resnet");
  x = Relu(builder.ConvNorm("stem", x, 7, 64, 2));
  x = MaxPool2d(
      x,
      {.window = {3, 3}, .strides = {2, 2}, .padding = Padding::Symmetric(1)});
  constexpr int kBlocks[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    Scope stage_scope(graph, absl::StrCat("stage", stage));
    for (int block = 0; block < kBlocks[stage]; ++block) {
      std::optional<Rematerialization> region;
      if (checkpoint_blocks) region.emplace(graph);
      x = builder.Bottleneck(absl::StrCat("block", block), x, 64 << stage,
                             block == 0 && stage > 0 ? 2 : 1);
    }
  }
  x = GlobalAvgPool2d(x);
  Value logits = MatMul(x, builder.Weight("dense", {2048, 1000}));
  return {Mean(Square(logits)), builder.parameters};
}

}  // namespace xla_byol::graph
