#include "xla_byol/nn/resnet.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

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

  Views Features(const Views& images) {
    Activation x = Stem(images.In(LayoutFor(options_.channels)));
    const Architecture& architecture = options_.architecture;
    for (int stage = 0; stage < kStages; ++stage) {
      Scope stage_scope(graph_, absl::StrCat("stage", stage));
      const int64_t channels = options_.channels << stage;
      x.x = x.x.In(LayoutFor(channels));
      for (int block = 0; block < architecture.blocks[stage]; ++block) {
        Scope block_scope(graph_, absl::StrCat("block", block));
        std::optional<Rematerialization> checkpoint;
        if (options_.rematerialize) checkpoint.emplace(graph_);
        const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
        x = {Block(x, channels, stride, /*first=*/block == 0)};
      }
    }
    return x.x.Map([](Value part) { return GlobalAvgPool2d(part); });
  }

 private:
  // A layer of a block, which is in scopes of its own.
  struct Layer {
    const char* conv;
    const char* norm;
    int64_t channels;
    int64_t kernel = 1;
    int64_t stride = 1;
    double initial_scale = 1;
  };

  // Whether a pointwise convolution from so many channels, which makes them
  // wider by the usual factor, takes its statistics from its input.
  bool DerivesStatistics(int64_t inputs) const {
    return norm_.training && options_.architecture.bottleneck &&
           inputs <= options_.rewrites.derived_statistics_to;
  }

  // Of a stage. Views that are apart in one stay so: joining them is a copy.
  ViewLayout LayoutFor(int64_t channels) const {
    if (channels < options_.rewrites.packed_below) return ViewLayout::kPacked;
    return DerivesStatistics(options_.channels) ? ViewLayout::kApart
                                                : options_.layout;
  }

  // In the layout of the first stage.
  Activation Stem(const Views& x) {
    Scope scope(graph_, "stem");
    const nn::Stem& stem = options_.stem;
    const Layer layer{"conv", "norm", options_.channels, stem.kernel,
                      stem.stride};
    if (!stem.pools) return Activated(x, layer);
    if (norm_.training && options_.rewrites.pool_first) {
      return ConvPoolNorm(x, layer);
    }
    return {StemMaxPool(Relu(ConvNorm(x, layer)), options_.padding)};
  }

  Views Block(const Activation& activation, int64_t channels, int64_t stride,
              bool first) {
    const bool bottleneck = options_.architecture.bottleneck;
    const int64_t outputs = channels * options_.architecture.expansion();
    const double last_scale = options_.zero_init_residual ? 0 : 1;
    const Views& x = activation.x;
    const bool fits = stride == 1 && x.channels() == outputs;
    const bool projects =
        !fits || (first && options_.padding == PaddingStyle::kSame);
    const auto with_shortcut = [&](const Views& sum) {
      return sum + (projects ? Shortcut(activation, outputs, stride) : x);
    };
    Views y = x;
    if (bottleneck) {
      y = Relu(ConvNorm(y, {"conv1", "norm1", channels}));
      const Activation inner =
          Activated(y, {"conv2", "norm2", channels, 3, stride});
      const Layer last{"conv3", "norm3", outputs, 1, 1, last_scale};
      if (projects && stride == 1 && Derives(inner, outputs) &&
          Derives(activation, outputs)) {
        y = NormalizedConv(inner, last, &activation);
      } else {
        y = with_shortcut(Widened(inner, last));
      }
    } else {
      y = Relu(ConvNorm(y, {"conv1", "norm1", channels, 3, stride}));
      y = with_shortcut(
          ConvNorm(y, {"conv2", "norm2", outputs, 3, 1, last_scale}));
    }
    y = Relu(y);
    // Of views apart, the compiler keeps a ReLU's input and its signs as bits,
    // and needs no result; only where there are no gradients is it worse off.
    const bool keeps =
        !options_.differentiated || y.layout() == ViewLayout::kPacked;
    return DerivesStatistics(channels) && keeps ? Kept(y) : y;
  }

  // What is to be stored as it is. Left alone, the compiler stores the input of
  // a block's ReLU too, or makes another pass for its result.
  static Views Kept(const Views& x) {
    return x.Map(
        [](Value part) { return graph::OptimizationBarrier({part})[0]; });
  }

  Views Shortcut(const Activation& activation, int64_t outputs,
                 int64_t stride) {
    Scope scope(graph_, "shortcut");
    if (stride == 1) return Widened(activation, {"conv", "norm", outputs});
    return ConvNorm(activation.x, {"conv", "norm", outputs, 1, stride});
  }

  Value KernelOf(const Views& x, const Layer& layer) {
    Scope scope(graph_, layer.conv);
    return Kernel(variables_, x.channels(), layer.channels, layer.kernel);
  }

  Views Conv(const Views& x, const std::vector<Value>& kernels,
             const Layer& layer) {
    Scope scope(graph_, layer.conv);
    const Views y = Convolve(x, kernels, layer.stride, options_.padding);
    const int64_t from = options_.rewrites.sliced_shortcuts_from;
    const bool slices = layer.kernel == 1 && layer.stride > 1 && from != 0 &&
                        x.channels() >= from;
    return slices ? WithGradientOfSlices(y, x, kernels, layer.stride) : y;
  }

  // y, which is x convolved with pointwise kernels, with the input's gradient
  // of a convolution of the pixels that the stride leaves. The kernel's
  // gradient stays as it is: it would need these pixels as a tensor.
  Views WithGradientOfSlices(const Views& y, const Views& x,
                             const std::vector<Value>& kernels,
                             int64_t stride) const {
    std::vector<Value> constant;
    for (const Value kernel : kernels) constant.push_back(StopGradient(kernel));
    const Views seen = x.Map([stride](Value part) {
      part = SliceAxis(part, 1, 0, part.dim(1), stride);
      return SliceAxis(part, 2, 0, part.dim(2), stride);
    });
    const Views of_kernel =
        Convolve(x.Map(graph::StopGradient), kernels, stride, options_.padding);
    const Views of_input = Convolve(seen, constant, 1, options_.padding);
    std::vector<Value> parts;
    for (size_t i = 0; i < y.parts().size(); ++i) {
      const Value input = of_input.parts()[i];
      parts.push_back(WithGradientOf(
          y.parts()[i], of_kernel.parts()[i] + (input - StopGradient(input))));
    }
    return y.With(std::move(parts));
  }

  Views ConvNorm(const Views& x, const Layer& layer,
                 Activation* activation = nullptr) {
    const Views y = Conv(x, {KernelOf(x, layer)}, layer);
    Scope scope(graph_, layer.norm);
    Normalization normalization;
    const Views normalized =
        BatchNorm(variables_, y, norm_, layer.initial_scale, &normalization);
    if (activation != nullptr) {
      *activation = {Relu(normalized), y.parts(), normalization};
    }
    return normalized;
  }

  // Convolution, norm and ReLU, from whose result Widened may take statistics.
  Activation Activated(const Views& x, const Layer& layer) {
    if (!DerivesStatistics(layer.channels)) return {Relu(ConvNorm(x, layer))};
    Activation activation = {x};
    ConvNorm(x, layer, &activation);
    return activation;
  }

  // Whether a pointwise convolution to so many channels takes its statistics
  // from x.
  bool Derives(const Activation& x, int64_t outputs) const {
    const int64_t inputs = x.x.channels();
    return outputs == inputs * options_.architecture.expansion() &&
           DerivesStatistics(inputs);
  }

  // A pointwise convolution with norm.
  Views Widened(const Activation& x, const Layer& layer) {
    return Derives(x, layer.channels) ? NormalizedConv(x, layer)
                                      : ConvNorm(x.x, layer);
  }

  // Kernels and shifts [views,channels] that already normalize.
  struct Normalizing {
    std::vector<Value> kernels;  // for each view
    Value shift;
  };
  Normalizing NormalizingConv(const Activation& x, const Layer& layer) {
    const Value kernel = KernelOf(x.x, layer);
    Scope scope(graph_, layer.norm);
    const Sums sums =
        SumsOfProducts(x, Reshape(kernel, {kernel.dim(2), kernel.dim(3)}));
    const Normalization normalization =
        Normalize(variables_, sums, norm_, layer.initial_scale);
    Normalizing result{{}, normalization.shift};
    for (int64_t view = 0; view < x.x.count(); ++view) {
      result.kernels.push_back(
          kernel * Reshape(SliceAxis(normalization.factor, 0, view, view + 1),
                           {1, 1, 1, layer.channels}));
    }
    return result;
  }

  // The same with kernels and shifts that already normalize: see
  // Rewrites::derived_statistics_to. With the projection of a shortcut, if
  // there is one, it is one convolution of both inputs, so that neither sum is
  // stored.
  Views NormalizedConv(const Activation& x, const Layer& layer,
                       const Activation* shortcut = nullptr) {
    Normalizing normalizing = NormalizingConv(x, layer);
    std::vector<Value> kernels = PartKernels(x.x, normalizing.kernels);
    std::vector<Value> inputs = x.x.parts();
    if (shortcut != nullptr) {
      Scope scope(graph_, "shortcut");
      const Normalizing other =
          NormalizingConv(*shortcut, {"conv", "norm", layer.channels});
      inputs = SideBySide(x, *shortcut);
      const auto others = PartKernels(shortcut->x, other.kernels);
      for (size_t i = 0; i < kernels.size(); ++i) {
        kernels[i] = graph::Concatenate({kernels[i], others[i]}, 2);
      }
      normalizing.shift = normalizing.shift + other.shift;
    }
    std::vector<Value> sums;
    {
      Scope scope(graph_, layer.conv);
      for (const Value kernel : kernels) {
        sums.push_back(Conv2d(inputs[sums.size()], kernel, {}));
      }
    }
    Scope scope(graph_, layer.norm);
    return Apply(x.x.With(std::move(sums)), {{}, normalizing.shift});
  }

  // Convolution, max-pool, norm and ReLU: see Rewrites::pool_first.
  Activation ConvPoolNorm(const Views& x, const Layer& layer) {
    const Value kernel = KernelOf(x, layer);
    Value sign;
    {
      Scope scope(graph_, layer.norm);
      sign = SignOfScale(variables_, layer.channels, layer.initial_scale);
    }
    const Views y = Conv(x, {kernel * sign}, layer);
    const Views pooled = StemMaxPool(y, options_.padding);
    Scope scope(graph_, layer.norm);
    const Normalization normalization =
        Normalize(variables_, SumsOf(y), norm_, layer.initial_scale, sign);
    return {Relu(Apply(pooled, normalization)), pooled.parts(), normalization};
  }

  Variables& variables_;
  Graph& graph_;
  const ResNetOptions& options_;
  const BatchNormOptions& norm_;
};

}  // namespace

Views ResNet(Variables& variables, const Views& images,
             const ResNetOptions& options, const BatchNormOptions& norm) {
  return Builder(variables, options, norm).Features(images);
}

}  // namespace xla_byol::nn
