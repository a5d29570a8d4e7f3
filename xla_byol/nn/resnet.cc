#include "xla_byol/nn/resnet.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

namespace xla_byol::nn {
namespace {

using graph::Graph;
using graph::Rematerialization;
using graph::Scope;
using graph::Value;

class Builder {
 public:
  Builder(Variables& variables, const ResNetOptions& options,
          const BatchNormOptions& norm)
      : variables_(variables),
        graph_(variables.graph()),
        options_(options),
        norm_(norm) {}

  Value Features(Value x) {
    x = Stem(x);
    const Architecture& architecture = options_.architecture;
    for (int stage = 0; stage < kStages; ++stage) {
      Scope stage_scope(graph_, absl::StrCat("stage", stage));
      const int64_t channels = options_.channels << stage;
      for (int block = 0; block < architecture.blocks[stage]; ++block) {
        Scope block_scope(graph_, absl::StrCat("block", block));
        std::optional<Rematerialization> checkpoint;
        if (options_.rematerialize) checkpoint.emplace(graph_);
        const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
        x = Block(x, channels, stride, /*first=*/block == 0);
      }
    }
    return GlobalAvgPool2d(x);
  }

 private:
  Value Stem(Value x) {
    Scope scope(graph_, "stem");
    const nn::Stem& stem = options_.stem;
    x = Relu(ConvNorm(x, "conv", "norm", options_.channels, stem.kernel,
                      stem.stride));
    return stem.pools ? StemMaxPool(x, options_.padding) : x;
  }

  Value Block(Value x, int64_t channels, int64_t stride, bool first) {
    const bool bottleneck = options_.architecture.bottleneck;
    const int64_t outputs = channels * options_.architecture.expansion();
    const double last_scale = options_.zero_init_residual ? 0 : 1;
    Value y = x;
    if (bottleneck) {
      y = Relu(ConvNorm(y, "conv1", "norm1", channels, 1, 1));
      y = Relu(ConvNorm(y, "conv2", "norm2", channels, 3, stride));
      y = ConvNorm(y, "conv3", "norm3", outputs, 1, 1, last_scale);
    } else {
      y = Relu(ConvNorm(y, "conv1", "norm1", channels, 3, stride));
      y = ConvNorm(y, "conv2", "norm2", outputs, 3, 1, last_scale);
    }
    const bool fits = stride == 1 && x.dim(-1) == outputs;
    if (!fits || (first && options_.padding == PaddingStyle::kSame)) {
      Scope scope(graph_, "shortcut");
      x = ConvNorm(x, "conv", "norm", outputs, 1, stride);
    }
    return Relu(y + x);
  }

  Value ConvNorm(Value x, const char* conv, const char* norm, int64_t channels,
                 int64_t kernel, int64_t stride, double initial_scale = 1) {
    {
      Scope scope(graph_, conv);
      x = Conv(variables_, x, channels, kernel, stride, options_.padding);
    }
    Scope scope(graph_, norm);
    return BatchNorm(variables_, x, norm_, initial_scale);
  }

  Variables& variables_;
  Graph& graph_;
  const ResNetOptions& options_;
  const BatchNormOptions& norm_;
};

}  // namespace

Value ResNet(Variables& variables, Value images, const ResNetOptions& options,
             const BatchNormOptions& norm) {
  return Builder(variables, options, norm).Features(images);
}

}  // namespace xla_byol::nn
