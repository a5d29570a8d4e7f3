#include "xla_byol/nn/layers.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace xla_byol::nn {

using graph::Dims;
using graph::DType;
using graph::Graph;
using graph::Padding;
using graph::Scope;
using graph::Value;

Padding PaddingFor(PaddingStyle style, int64_t kernel) {
  return style == PaddingStyle::kSame ? Padding::Same()
                                      : Padding::Symmetric((kernel - 1) / 2);
}

Value Dense(Variables& variables, Value x, int64_t outputs, bool bias) {
  const int64_t inputs = x.dim(-1);
  const Value w =
      variables.Parameter("w", {inputs, outputs}, Initializer::FanIn(inputs));
  const Value y = MatMul(x, Convert(w, x.dtype()));
  if (!bias) return y;
  const Value b = variables.Parameter("b", {outputs}, Initializer::Constant(0));
  return y + Convert(b, x.dtype());
}

Value Conv(Variables& variables, Value x, int64_t channels, int64_t kernel,
           int64_t stride, PaddingStyle padding) {
  const int64_t inputs = x.dim(-1);
  const Value w =
      variables.Parameter("w", {kernel, kernel, inputs, channels},
                          Initializer::FanIn(kernel * kernel * inputs));
  return Conv2d(
      x, Convert(w, x.dtype()),
      {.strides = {stride, stride}, .padding = PaddingFor(padding, kernel)});
}

namespace {

struct Moments {
  Value mean;
  Value variance;  // biased: E[x^2] - E[x]^2, as the reference has it
};

// Of x[views, ..., channels] for each view and channel, over all replicas.
Moments ViewMoments(Value x) {
  Dims axes;
  for (int64_t axis = 1; axis + 1 < x.rank(); ++axis) axes.push_back(axis);
  int64_t count = x.graph()->replicas();
  for (const int64_t axis : axes) count *= x.dim(axis);
  const Value sums = AllReduce(
      graph::Stack({ReduceSum(x, axes), ReduceSum(Square(x), axes)}, 0));
  const Value means = sums / static_cast<double>(count);
  const auto part = [&](int64_t i) {
    return Reshape(SliceAxis(means, 0, i, i + 1), {x.dim(0), x.dim(-1)});
  };
  const Value mean = part(0);
  return {mean, part(1) - Square(mean)};
}

// Row `view` of a [views, channels] matrix.
Value Row(Value matrix, int64_t view) {
  return Reshape(SliceAxis(matrix, 0, view, view + 1), {matrix.dim(-1)});
}

// average + rate * (batch - average), one view after the other.
Value MoveAverage(Value average, Value batches,
                  const std::vector<Value>& rates) {
  for (size_t view = 0; view < rates.size(); ++view) {
    const Value batch =
        Row(batches, std::min(static_cast<int64_t>(view), batches.dim(0) - 1));
    average = average + rates[view] * (batch - average);
  }
  return average;
}

}  // namespace

Value BatchNorm(Variables& variables, Value x, const BatchNormOptions& options,
                double initial_scale) {
  const int64_t channels = x.dim(-1);
  Value scale, offset;
  if (options.affine) {
    scale = variables.Parameter("scale", {channels},
                                Initializer::Constant(initial_scale));
    offset =
        variables.Parameter("offset", {channels}, Initializer::Constant(0));
  }
  const Value running_mean =
      variables.Statistic("mean", {channels}, Initializer::Constant(0));
  const Value running_variance =
      variables.Statistic("var", {channels}, Initializer::Constant(1));

  if (!options.training) {
    Value factor = Rsqrt(running_variance + options.epsilon);
    if (options.affine) factor = factor * scale;
    Value y = (Convert(x, DType::kF32) - running_mean) * factor;
    if (options.affine) y = y + offset;
    return Convert(y, x.dtype());
  }

  Dims split = x.dims();
  if (split[0] % options.views != 0) {
    return x.graph()->Fail(
        "batch_norm",
        absl::StrCat("a batch of ", split[0], " does not divide into ",
                     options.views, " views"),
        {x});
  }
  split[0] /= options.views;
  split.insert(split.begin(), options.views);
  const Value by_view = Reshape(Convert(x, DType::kF32), split);
  const Moments moments = ViewMoments(by_view);

  if (!options.rates.empty()) {
    variables.SetStatistic(
        "mean", MoveAverage(running_mean, moments.mean, options.rates));
    variables.SetStatistic(
        "var", MoveAverage(running_variance, moments.variance, options.rates));
  }

  // [views, channels] stretched over the dimensions between.
  Dims per_view(split.size(), 1);
  per_view.front() = options.views;
  per_view.back() = channels;
  // As one product and one sum: the gradient then has two sums over the batch,
  // of g and g * x, where (x - mean) * factor + offset would have three.
  Value factor = Rsqrt(moments.variance + options.epsilon);
  if (options.affine) factor = factor * scale;
  const Value centre = moments.mean * factor;
  const Value shift = options.affine ? offset - centre : -centre;
  const Value y =
      by_view * Reshape(factor, per_view) + Reshape(shift, per_view);
  return Convert(Reshape(y, x.dims()), x.dtype());
}

Value StemMaxPool(Value x, PaddingStyle padding) {
  return MaxPool2d(
      x,
      {.window = {3, 3}, .strides = {2, 2}, .padding = PaddingFor(padding, 3)});
}

Value Mlp(Variables& variables, Value x, int64_t hidden, int64_t outputs,
          const BatchNormOptions& norm, bool hidden_bias, bool output_bias) {
  Graph& graph = variables.graph();
  {
    Scope scope(graph, "dense1");
    x = Dense(variables, x, hidden, hidden_bias);
  }
  {
    Scope scope(graph, "norm");
    x = Relu(BatchNorm(variables, x, norm));
  }
  Scope scope(graph, "dense2");
  return Dense(variables, x, outputs, output_bias);
}

Value Head(Variables& variables, Value x, absl::Span<const HeadLayer> layers,
           BatchNormOptions norm) {
  Graph& graph = variables.graph();
  for (size_t i = 0; i < layers.size(); ++i) {
    {
      Scope scope(graph, absl::StrCat("dense", i + 1));
      x = Dense(variables, x, layers[i].outputs, layers[i].bias);
    }
    if (layers[i].norm) {
      Scope scope(graph, absl::StrCat("norm", i + 1));
      norm.affine = layers[i].affine;
      x = BatchNorm(variables, x, norm);
    }
    if (i + 1 < layers.size()) x = Relu(x);
  }
  return x;
}

}  // namespace xla_byol::nn
