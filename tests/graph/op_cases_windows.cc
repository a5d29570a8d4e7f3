#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/graph/op_cases.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol::graph {
namespace {

using Values = std::vector<Value>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The window sum, maximum or minimum by definition.
Tensor ReferenceWindow(const Tensor& x, const WindowAttributes& a,
                       const Dims& result) {
  return Generate({x.shape.dtype, result}, [&](const Dims& i) {
    double value = a.combiner == Combiner::kSum   ? 0
                   : a.combiner == Combiner::kMax ? -kInfinity
                                                  : kInfinity;
    ForEach(a.window, [&](const Dims& w) {
      Dims at;
      for (size_t d = 0; d < i.size(); ++d) {
        const int64_t position = i[d] * a.strides[d] +
                                 w[d] * a.window_dilation[d] -
                                 a.padding[d].first;
        if (position < 0 || position % a.base_dilation[d] != 0 ||
            position / a.base_dilation[d] >= x.shape.dims[d]) {
          return;
        }
        at.push_back(position / a.base_dilation[d]);
      }
      const double element = x.at(at);
      value = a.combiner == Combiner::kSum   ? value + element
              : a.combiner == Combiner::kMax ? std::fmax(value, element)
                                             : std::fmin(value, element);
    });
    return value;
  });
}

// An NHWC x HWIO convolution by definition.
Tensor ReferenceConv(const Tensor& x, const Tensor& kernel,
                     const ConvAttributes& a, const Dims& result) {
  const int64_t channels = kernel.shape.dims[2];
  const int64_t outputs = kernel.shape.dims[3] / a.feature_groups;
  return Generate({x.shape.dtype, result}, [&](const Dims& i) {
    double sum = 0;
    ForEach({kernel.shape.dims[0], kernel.shape.dims[1], channels},
            [&](const Dims& k) {
              Dims at = {i[0]};
              for (int d : {0, 1}) {
                const int64_t position = i[d + 1] * a.strides[d] +
                                         k[d] * a.rhs_dilation[d] -
                                         a.padding[d].first;
                if (position < 0 || position % a.lhs_dilation[d] != 0 ||
                    position / a.lhs_dilation[d] >= x.shape.dims[d + 1]) {
                  return;
                }
                at.push_back(position / a.lhs_dilation[d]);
              }
              at.push_back(i[3] / outputs * channels + k[2]);
              sum += x.at(at) * kernel.at({k[0], k[1], k[2], i[3]});
            });
    return sum;
  });
}

struct ConvCase {
  const char* name;
  Dims x, kernel, result;
  ConvAttributes attributes;
};

}  // namespace

std::vector<OpCase> ConvolutionCases() {
  const ConvDimensions d = Conv2dDimensions();
  const ConvCase convolutions[] = {
      {"conv_1x1",
       {2, 3, 3, 4},
       {1, 1, 4, 3},
       {2, 3, 3, 3},
       {d, {1, 1}, {{0, 0}, {0, 0}}, {1, 1}, {1, 1}}},
      {"conv_1x1_strided",
       {2, 5, 4, 3},
       {1, 1, 3, 2},
       {2, 3, 2, 2},
       {d, {2, 2}, {{0, 0}, {0, 0}}, {1, 1}, {1, 1}}},
      {"conv_3x3",
       {2, 5, 4, 2},
       {3, 3, 2, 3},
       {2, 5, 4, 3},
       {d, {1, 1}, {{1, 1}, {1, 1}}, {1, 1}, {1, 1}}},
      {"conv_3x3_strided",
       {2, 6, 5, 2},
       {3, 3, 2, 3},
       {2, 3, 3, 3},
       {d, {2, 2}, {{0, 1}, {1, 1}}, {1, 1}, {1, 1}}},
      {"conv_dilated",
       {1, 7, 4, 2},
       {3, 2, 2, 2},
       {1, 3, 3, 2},
       {d, {1, 1}, {{0, 0}, {1, 1}}, {1, 1}, {2, 3}}},
      {"conv_input_dilated",
       {1, 3, 3, 2},
       {2, 2, 2, 2},
       {1, 5, 7, 2},
       {d, {1, 1}, {{1, 0}, {0, 1}}, {2, 3}, {1, 1}}},
      {"conv_grouped",
       {2, 4, 4, 4},
       {3, 3, 2, 6},
       {2, 2, 2, 6},
       {d, {1, 1}, {{0, 0}, {0, 0}}, {1, 1}, {1, 1}, 2}},
      {"conv_cropped",
       {1, 6, 6, 1},
       {2, 2, 1, 2},
       {1, 3, 4, 2},
       {d, {1, 1}, {{-1, -1}, {0, -1}}, {1, 1}, {1, 1}}},
  };
  std::vector<OpCase> cases;
  for (const ConvCase& c : convolutions) {
    cases.push_back(
        {c.name,
         OpCode::kConvolution,
         {{F64(c.x)}, {F64(c.kernel)}},
         [a = c.attributes](Graph&, const Values& v) {
           return Convolution(v[0], v[1], a);
         },
         FromInputs([a = c.attributes, result = c.result](const Tensors& in) {
           return ReferenceConv(in[0], in[1], a, result);
         })});
  }
  // Batch groups appear as derivatives of feature groups. Group n of the batch
  // is convolved with group n of the kernel's outputs.
  cases.push_back({"conv_batch_grouped",
                   OpCode::kConvolution,
                   {{F64({4, 3, 3, 2})}, {F64({2, 2, 2, 4})}},
                   [d](Graph&, const Values& v) {
                     return Convolution(v[0], v[1],
                                        {.dimensions = d,
                                         .strides = {1, 1},
                                         .padding = {{0, 0}, {0, 0}},
                                         .lhs_dilation = {1, 1},
                                         .rhs_dilation = {1, 1},
                                         .batch_groups = 2});
                   },
                   FromInputs([](const Tensors& in) {
                     return Generate(F64({2, 2, 2, 4}), [&in](const Dims& i) {
                       double sum = 0;
                       ForEach({2, 2, 2}, [&](const Dims& k) {
                         sum += in[0].at({i[3] / 2 * 2 + i[0], i[1] + k[0],
                                          i[2] + k[1], k[2]}) *
                                in[1].at({k[0], k[1], k[2], i[3]});
                       });
                       return sum;
                     });
                   })});
  return cases;
}

std::vector<OpCase> WindowCases() {
  const Dims ones(4, 1);
  struct WindowCase {
    const char* name;
    Dims x, result;
    WindowAttributes attributes;
  };
  const WindowCase windows[] = {
      {"window_sum",
       {2, 5, 4, 2},
       {2, 3, 2, 2},
       {Combiner::kSum,
        {1, 3, 2, 1},
        {1, 2, 2, 1},
        ones,
        ones,
        {{0, 0}, {1, 1}, {0, 0}, {0, 0}}}},
      {"window_sum_dilated",
       {1, 4, 5, 1},
       {1, 4, 3, 1},
       {Combiner::kSum,
        {1, 2, 3, 1},
        {1, 2, 1, 1},
        {1, 2, 1, 1},
        {1, 1, 2, 1},
        {{0, 0}, {1, 0}, {1, 1}, {0, 0}}}},
      {"window_max",
       {2, 5, 4, 2},
       {2, 3, 2, 2},
       {Combiner::kMax,
        {1, 3, 3, 1},
        {1, 2, 2, 1},
        ones,
        ones,
        {{0, 0}, {1, 1}, {1, 0}, {0, 0}}}},
      {"window_min",
       {1, 4, 4, 1},
       {1, 3, 2, 1},
       {Combiner::kMin,
        {1, 2, 2, 1},
        {1, 1, 2, 1},
        ones,
        ones,
        {{0, 0}, {0, 0}, {0, 0}, {0, 0}}}},
  };
  std::vector<OpCase> cases;
  for (const WindowCase& c : windows) {
    // All negative: padding must not win a maximum.
    cases.push_back({c.name,
                     OpCode::kReduceWindow,
                     {{F64(c.x), -3, -1}},
                     [a = c.attributes](Graph&, const Values& v) {
                       return ReduceWindow(v[0], a);
                     },
                     FromInputs([c](const Tensors& in) {
                       return ReferenceWindow(in[0], c.attributes, c.result);
                     })});
  }
  cases.push_back({"select_and_scatter",
                   OpCode::kSelectAndScatter,
                   {{F64({6}), -3, -1}, {F64({3})}},
                   [](Graph&, const Values& v) {
                     return SelectAndScatter(v[0], v[1], {{3}, {2}, {{1, 0}}});
                   },
                   FromInputs([](const Tensors& in) {
                     Tensor result{F64({6}), std::vector<double>(6, 0)};
                     for (int64_t w = 0; w < 3; ++w) {
                       int64_t best = std::max<int64_t>(0, 2 * w - 1);
                       for (int64_t i = best;
                            i < std::min<int64_t>(6, 2 * w + 2); ++i) {
                         if (in[0].data[i] > in[0].data[best]) best = i;
                       }
                       result.data[best] += in[1].data[w];
                     }
                     return result;
                   })});
  return cases;
}

}  // namespace xla_byol::graph
