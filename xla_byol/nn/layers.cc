#include "xla_byol/nn/layers.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace xla_byol::nn {

using graph::Graph;
using graph::Padding;
using graph::Scope;
using graph::Value;

Padding PaddingFor(PaddingStyle style, int64_t kernel) {
  return style == PaddingStyle::kSame ? Padding::Same()
                                      : Padding::Symmetric((kernel - 1) / 2);
}

Views Dense(Variables& variables, const Views& x, int64_t outputs, bool bias) {
  const int64_t inputs = x.channels();
  const Value w =
      variables.Parameter("w", {inputs, outputs}, Initializer::FanIn(inputs));
  Value b;
  if (bias) {
    b = variables.Parameter("b", {outputs}, Initializer::Constant(0));
  }
  return x.Map([&](Value part) {
    const Value y = MatMul(part, Convert(w, part.dtype()));
    return bias ? y + Convert(b, part.dtype()) : y;
  });
}

Value Kernel(Variables& variables, int64_t inputs, int64_t outputs,
             int64_t size) {
  return variables.Parameter("w", {size, size, inputs, outputs},
                             Initializer::FanIn(size * size * inputs));
}

namespace {

// A kernel for views side by side: each sees its own channels alone.
Value BlockDiagonal(const std::vector<Value>& kernels, int64_t views) {
  std::vector<Value> rows;
  for (int64_t view = 0; view < views; ++view) {
    const Value kernel =
        kernels[kernels.size() == 1 ? 0 : static_cast<size_t>(view)];
    const int64_t outputs = kernel.dim(-1);
    rows.push_back(Pad(kernel, 0.0, {0, 0, 0, view * outputs},
                       {0, 0, 0, (views - 1 - view) * outputs}));
  }
  return graph::Concatenate(rows, 2);
}

}  // namespace

std::vector<Value> PartKernels(const Views& x,
                               const std::vector<Value>& kernels) {
  std::vector<Value> converted;
  for (const Value kernel : kernels) {
    converted.push_back(Convert(kernel, x.only().dtype()));
  }
  if (x.layout() == ViewLayout::kPacked) {
    converted = {BlockDiagonal(converted, x.count())};
  }
  converted.resize(x.parts().size(), converted[0]);
  return converted;
}

Views Convolve(const Views& x, const std::vector<Value>& kernels,
               int64_t stride, PaddingStyle padding) {
  std::vector<Value> parts;
  for (const Value kernel : PartKernels(x, kernels)) {
    parts.push_back(Conv2d(x.parts()[parts.size()], kernel,
                           {.strides = {stride, stride},
                            .padding = PaddingFor(padding, kernel.dim(0))}));
  }
  return x.With(std::move(parts));
}

Views StemMaxPool(const Views& x, PaddingStyle padding) {
  return x.Map([padding](Value part) {
    return MaxPool2d(part, {.window = {3, 3},
                            .strides = {2, 2},
                            .padding = PaddingFor(padding, 3)});
  });
}

Views Mlp(Variables& variables, const Views& x, int64_t hidden, int64_t outputs,
          const BatchNormOptions& norm, bool hidden_bias, bool output_bias) {
  Graph& graph = variables.graph();
  Views y = x;
  {
    Scope scope(graph, "dense1");
    y = Dense(variables, y, hidden, hidden_bias);
  }
  {
    Scope scope(graph, "norm");
    y = Relu(BatchNorm(variables, y, norm));
  }
  Scope scope(graph, "dense2");
  return Dense(variables, y, outputs, output_bias);
}

Views Head(Variables& variables, Views x, absl::Span<const HeadLayer> layers,
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
