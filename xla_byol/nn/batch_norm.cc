#include "xla_byol/nn/batch_norm.h"

#include <algorithm>
#include <utility>

namespace xla_byol::nn {
namespace {

using graph::ConvDimensions;
using graph::Dims;
using graph::DType;
using graph::Precision;
using graph::Value;

// Each part as f32[views in its batch, n, ..., channels]. Sums and application
// share it, so that their gradients are added before they are rounded.
std::vector<Value> ByView(const Views& x) {
  std::vector<Value> parts;
  for (const Value part : x.parts()) {
    Dims split = part.dims();
    split[0] /= x.InBatch();
    split.insert(split.begin(), x.InBatch());
    parts.push_back(Reshape(Convert(part, DType::kF32), split));
  }
  return parts;
}

// One row for each view of rows [views in a part's batch, channels of a part],
// one matrix for each part.
Value Rows(const Views& x, const std::vector<Value>& parts) {
  return Reshape(graph::Concatenate(parts, 0),
                 {x.count(), parts[0].dim(-1) / x.InChannels()});
}

// Row `view` of a [views, channels] matrix.
Value Row(Value matrix, int64_t view) {
  return Reshape(SliceAxis(matrix, 0, view, view + 1), {matrix.dim(-1)});
}

struct Variance {
  Value mean;
  Value variance;  // biased: E[x^2] - E[x]^2, as the reference has it
};

// For each view and channel, over groups of replicas (0: over all).
Variance OverReplicas(const Sums& sums, int64_t group) {
  const int64_t replicas = group == 0 ? sums.x.graph()->replicas() : group;
  const int64_t count = sums.count * replicas;
  const Value total = AllReduce(graph::Stack({sums.x, sums.squares}, 0),
                                graph::Combiner::kSum, group);
  const Value means = total / static_cast<double>(count);
  const auto part = [&](int64_t i) {
    return Reshape(SliceAxis(means, 0, i, i + 1), sums.x.dims());
  };
  const Value mean = part(0);
  const Value variance = part(1) - Square(mean);
  return {mean, sums.derived ? Maximum(variance, 0.0) : variance};
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

Value Scale(Variables& variables, int64_t channels, double initial_scale) {
  return variables.Parameter("scale", {channels},
                             Initializer::Constant(initial_scale));
}

// With the running statistics.
Views Evaluate(Variables& variables, const Views& x,
               const BatchNormOptions& options, double initial_scale) {
  const int64_t channels = x.channels();
  Value scale, offset;
  if (options.affine) {
    scale = Scale(variables, channels, initial_scale);
    offset =
        variables.Parameter("offset", {channels}, Initializer::Constant(0));
  }
  const Value mean =
      variables.Statistic("mean", {channels}, Initializer::Constant(0));
  const Value variance =
      variables.Statistic("var", {channels}, Initializer::Constant(1));
  Value factor = Rsqrt(variance + options.epsilon);
  if (options.affine) factor = factor * scale;
  return x.Map([&](Value part) {
    Value y = (Convert(part, DType::kF32) - mean) * factor;
    if (options.affine) y = y + offset;
    return Convert(y, part.dtype());
  });
}

// The sum of x x^T over images and positions: f32[c,c]. As the kernel gradient
// of a pointwise convolution, which compilers know well. It is quadratic in x
// and its cotangent is symmetric (only w^T G w is made of it), so that the
// derivative is twice that of one of its factors: one product, not two.
Value Products(Value x) {
  const ConvDimensions dimensions = {3, 0, {1, 2}, 0, 3, {1, 2}, 2, 3, {0, 1}};
  const Value one = Convert(x, DType::kF32);
  const Value product = Convolution(StopGradient(one), one,
                                    {.dimensions = dimensions,
                                     .strides = {1, 1},
                                     .padding = {{0, 0}, {0, 0}},
                                     .lhs_dilation = {1, 1},
                                     .rhs_dilation = {1, 1}});
  return Reshape(product, {x.dim(-1), x.dim(-1)});
}

Sums SumsOf(const Views& x, const std::vector<Value>& parts) {
  std::vector<Value> sums, squares;
  int64_t count = 1;
  for (const Value by_view : parts) {
    Dims axes;
    count = 1;
    for (int64_t axis = 1; axis + 1 < by_view.rank(); ++axis) {
      axes.push_back(axis);
      count *= by_view.dim(axis);
    }
    sums.push_back(ReduceSum(by_view, axes));
    squares.push_back(ReduceSum(Square(by_view), axes));
  }
  return {Rows(x, sums), Rows(x, squares), count};
}

// Part `part` of factors or shifts [views,channels], as [views,...,channels]
// of `rank` dimensions.
Value Stretched(const Views& x, Value of_views, size_t part, int64_t rank) {
  const auto view = static_cast<int64_t>(part);
  if (x.layout() == ViewLayout::kApart) {
    of_views = SliceAxis(of_views, 0, view, view + 1);
  }
  Dims dims(static_cast<size_t>(rank), 1);
  dims.front() = x.InBatch();
  dims.back() = x.only().dim(-1);
  return Reshape(of_views, dims);
}

Views Apply(const Views& x, const std::vector<Value>& parts,
            const Normalization& normalization) {
  std::vector<Value> normalized;
  for (const Value by_view : parts) {
    const auto stretched = [&](Value of_views) {
      return Stretched(x, of_views, normalized.size(), by_view.rank());
    };
    const Value shift = stretched(normalization.shift);
    const Value y = normalization.factor.valid()
                        ? by_view * stretched(normalization.factor) + shift
                        : by_view + shift;
    normalized.push_back(
        Convert(Reshape(y, x.only().dims()), x.only().dtype()));
  }
  return x.With(std::move(normalized));
}

// A part before its norm and ReLU.
struct Unactivated {
  Value y, factor, shift;
};

Unactivated PartOf(const Activation& a, size_t part) {
  const Value y = a.y[part];
  return {y, Stretched(a.x, a.normalization.factor, part, y.rank()),
          Stretched(a.x, a.normalization.shift, part, y.rank())};
}

Value Activated(const Unactivated& part) {
  const Value y = Convert(part.y, DType::kF32) * part.factor + part.shift;
  return Maximum(Convert(y, part.y.dtype()), 0.0);
}

// x with one more channel.
Value WithChannel(Value x, double value) {
  const size_t rank = static_cast<size_t>(x.rank());
  Dims one(rank - 1, 0);
  one.push_back(1);
  return Pad(x, value, Dims(rank, 0), one);
}

// Sums over images and positions of a part.
struct Moments {
  Value x;         // f32[c]
  Value products;  // x x^T, f32[c,c]
};

Moments MomentsOf(const Activation& activation, size_t part) {
  const Value x = activation.x.parts()[part];
  const int64_t channels = x.dim(-1);
  const Value product = Products(x);
  const Moments plain = {ReduceSum(Convert(x, DType::kF32), {0, 1, 2}),
                         WithGradientOf(product, 2.0 * product)};
  if (activation.y.empty()) return plain;
  const auto [y, factor, shift] = PartOf(activation, part);
  const Value with_ones = Activated(
      {WithChannel(y, 0), WithChannel(factor, 0), WithChannel(shift, 1)});
  // Behind a barrier: of slices, compilers would make products of slices, and
  // store what is sliced.
  const Value both = graph::OptimizationBarrier({Products(with_ones)})[0];
  const Value rows = SliceAxis(both, 0, 0, channels);
  return {WithGradientOf(
              Reshape(SliceAxis(rows, 1, channels, channels + 1), {channels}),
              plain.x),
          WithGradientOf(SliceAxis(rows, 1, 0, channels), plain.products)};
}

}  // namespace

Sums SumsOf(const Views& x) { return SumsOf(x, ByView(x)); }

std::vector<Value> SideBySide(const Activation& a, const Activation& b) {
  std::vector<Value> parts;
  const auto beside = [](Value x, Value y) {
    return graph::Concatenate({x, y}, x.rank() - 1);
  };
  for (size_t i = 0; i < a.x.parts().size(); ++i) {
    const Value both = beside(a.x.parts()[i], b.x.parts()[i]);
    if (a.y.empty() || b.y.empty()) {
      parts.push_back(both);
      continue;
    }
    const Unactivated of_a = PartOf(a, i), of_b = PartOf(b, i);
    parts.push_back(WithGradientOf(
        Activated({beside(of_a.y, of_b.y), beside(of_a.factor, of_b.factor),
                   beside(of_a.shift, of_b.shift)}),
        both));
  }
  return parts;
}

Sums SumsOfProducts(const Activation& activation, Value w) {
  const Views& x = activation.x;
  // Three passes of bf16 on a TPU: 1e-5 of a mean square.
  constexpr auto kPrecision = Precision::kHigh;
  const int64_t inputs = w.dim(0);
  std::vector<Value> sums, squares;
  int64_t count = 1;
  for (size_t part = 0; part < x.parts().size(); ++part) {
    count = x.only().dim(0) * x.only().dim(1) * x.only().dim(2);
    const auto [sum, gram] = MomentsOf(activation, part);
    for (int64_t view = 0; view < x.InChannels(); ++view) {
      const int64_t begin = view * inputs, end = begin + inputs;
      const Value of_view =
          SliceAxis(SliceAxis(gram, 0, begin, end), 1, begin, end);
      sums.push_back(MatMul(Reshape(SliceAxis(sum, 0, begin, end), {1, inputs}),
                            w, kPrecision));
      squares.push_back(ReduceSum(MatMul(of_view, w, kPrecision) * w, {0},
                                  /*keep_dims=*/true));
    }
  }
  return {graph::Concatenate(sums, 0), graph::Concatenate(squares, 0), count,
          /*derived=*/true};
}

Normalization Normalize(Variables& variables, const Sums& sums,
                        const BatchNormOptions& options, double initial_scale,
                        Value sign) {
  const int64_t channels = sums.x.dim(-1);
  Value scale, offset;
  if (options.affine) {
    scale = Scale(variables, channels, initial_scale);
    if (sign.valid()) scale = scale * sign;
    offset =
        variables.Parameter("offset", {channels}, Initializer::Constant(0));
  }
  const Value running_mean =
      variables.Statistic("mean", {channels}, Initializer::Constant(0));
  const Value running_variance =
      variables.Statistic("var", {channels}, Initializer::Constant(1));
  const Variance batch = OverReplicas(sums, options.group);
  if (!options.rates.empty()) {
    // Every replica must keep the same running statistics.
    const auto of_all = [&options](Value statistic) {
      return options.group == 0 ? statistic : AllReduceMean(statistic);
    };
    const Value mean = sign.valid() ? batch.mean * sign : batch.mean;
    variables.SetStatistic(
        "mean", MoveAverage(running_mean, of_all(mean), options.rates));
    variables.SetStatistic(
        "var",
        MoveAverage(running_variance, of_all(batch.variance), options.rates));
  }
  // As one product and one sum: the gradient then has two sums over the batch,
  // of g and g * x, where (x - mean) * factor + offset would have three.
  Value factor = Rsqrt(batch.variance + options.epsilon);
  if (options.affine) factor = factor * scale;
  const Value centre = batch.mean * factor;
  return {factor, options.affine ? offset - centre : -centre};
}

Views Apply(const Views& x, const Normalization& normalization) {
  return Apply(x, ByView(x), normalization);
}

Value SignOfScale(Variables& variables, int64_t channels,
                  double initial_scale) {
  const Value scale = Scale(variables, channels, initial_scale);
  const Value positive = Compare(scale, 0.0, graph::Direction::kGe);
  return StopGradient(
      Select(positive, FullLike(scale, 1.0), FullLike(scale, -1.0)));
}

Views BatchNorm(Variables& variables, const Views& x,
                const BatchNormOptions& options, double initial_scale,
                Normalization* used) {
  if (!options.training) {
    return Evaluate(variables, x, options, initial_scale);
  }
  const std::vector<Value> parts = ByView(x);
  const Normalization normalization =
      Normalize(variables, SumsOf(x, parts), options, initial_scale);
  if (used != nullptr) *used = normalization;
  return Apply(x, parts, normalization);
}

}  // namespace xla_byol::nn
