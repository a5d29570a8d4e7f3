// oneDNN's convolutions, called by programs, against XLA's in f64 and against
// each other.

#include "xla_byol/kernels/convolution.h"

#include <malloc.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "tests/graph/evaluate.h"
#include "tests/pjrt/testing.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/kernels/kernels.h"

namespace xla_byol::kernels {
namespace {

using graph::Backend;
using graph::DType;
using graph::Shape;
using graph::Tensor;
using graph::Tensors;
using graph::Value;

struct Layer {
  int64_t batch, height, width, inputs, outputs, window, stride, padding;
  int64_t dilation = 1;

  std::string name() const {
    return absl::StrCat(batch, "x", height, "x", width, " ", inputs, ">",
                        outputs, " ", window, "/", stride, " padding ", padding,
                        " dilation ", dilation);
  }
};

// Odd sizes, odd batches and channels that fill no register, and ResNet's kinds
// of layers.
constexpr Layer kLayers[] = {
    {4, 6, 7, 3, 4, 1, 1, 0},
    {4, 6, 7, 3, 4, 1, 2, 0},
    {4, 7, 7, 8, 16, 1, 2, 0},
    {2, 9, 8, 5, 7, 3, 1, 1},
    {5, 9, 8, 5, 7, 3, 2, 1},
    {1, 9, 8, 16, 16, 3, 1, 1},
    {3, 32, 32, 3, 16, 7, 2, 3},
    {2, 28, 28, 1, 8, 3, 1, 1},
    {2, 12, 12, 4, 4, 3, 1, 2, 2},
    {4, 8, 8, 64, 32, 1, 1, 0},
    {4, 8, 8, 32, 32, 3, 2, 1},
    {4, 1, 1, 32, 64, 3, 1, 1},
    {4, 2, 2, 32, 64, 3, 2, 1},
    {3, 4, 4, 17, 33, 4, 1, 0},
    {2, 5, 5, 8, 8, 3, 2, 0},
    {2, 6, 6, 8, 8, 3, 2, 0},
    // By Winograd's algorithm (winograd.h).
    {8, 8, 8, 64, 64, 3, 1, 1},
    {3, 16, 17, 64, 128, 3, 1, 0},
};

struct Built {
  graph::Graph graph{1};
  Value x, kernel;
  std::vector<Value> outputs;  // result, input gradient, kernel gradient

  Built(const Layer& layer, DType dtype) {
    x = graph.Parameter(
        "x", {dtype, {layer.batch, layer.height, layer.width, layer.inputs}});
    kernel = graph.Parameter(
        "kernel",
        {dtype, {layer.window, layer.window, layer.inputs, layer.outputs}});
    const graph::Scope scope(graph, "layer");
    Value y =
        graph::Conv2d(x, kernel,
                      {.strides = {layer.stride, layer.stride},
                       .padding = graph::Padding::Symmetric(layer.padding),
                       .kernel_dilation = {layer.dilation, layer.dilation}});
    outputs = graph::Grad(graph::Sum(graph::Sine(y)), {x, kernel});
    outputs.insert(outputs.begin(), y);
  }
};

Backend TargetWithKernels() {
  const pjrt::Plugin* plugin =
      pjrt::Get(pjrt::Plugin::Load(pjrt::Platform::kCpu));
  return Backend(Backend::kCpu, RegisterKernels(*plugin).custom_calls);
}

Tensors RandomInputs(const Built& built) {
  std::mt19937 rng(9);
  return {graph::Random(built.x.shape(), -1, 1, rng),
          graph::Random(built.kernel.shape(), -1, 1, rng)};
}

Tensors InF64(Tensors tensors) {
  for (Tensor& tensor : tensors) tensor.shape.dtype = DType::kF64;
  return tensors;
}

// The largest error, relative to the largest number.
double Error(const Tensor& actual, const Tensor& expected) {
  EXPECT_EQ(actual.shape.dims, expected.shape.dims);
  double error = 0, largest = 1e-30;
  for (size_t i = 0; i < expected.data.size(); ++i) {
    error = std::max(error, std::abs(actual.data[i] - expected.data[i]));
    largest = std::max(largest, std::abs(expected.data[i]));
  }
  return error / largest;
}

TEST(ConvolutionTest, AgreesWithXlaInDoublePrecision) {
  const Backend backend = TargetWithKernels();
  for (const Layer& layer : kLayers) {
    const Built f32(layer, DType::kF32);
    const Built f64(layer, DType::kF64);
    const Tensors inputs = RandomInputs(f32);
    const Tensors expected = pjrt::Get(
        graph::Evaluate(f64.graph, f64.outputs, InF64(inputs), Backend::kTpu));
    const Tensors actual =
        pjrt::Get(graph::Evaluate(f32.graph, f32.outputs, inputs, backend));
    for (int i = 0; i < 3; ++i) {
      // Single precision: results reach 20, and the cotangent is their cosine.
      EXPECT_LT(Error(actual[i], expected[i]), 1e-5)
          << layer.name() << ", output " << i;
    }
  }
}

// Layers of oneDNN and of Winograd's algorithm.
class EitherWayTest : public testing::TestWithParam<Layer> {};
INSTANTIATE_TEST_SUITE_P(Layers, EitherWayTest,
                         testing::Values(Layer{6, 14, 14, 32, 32, 3, 1, 1},
                                         Layer{8, 8, 8, 64, 64, 3, 1, 1}));

TEST_P(EitherWayTest, SameBitsEachTime) {
  const Backend backend = TargetWithKernels();
  const Built built(GetParam(), DType::kF32);
  const Tensors inputs = RandomInputs(built);
  const Tensors first =
      pjrt::Get(graph::Evaluate(built.graph, built.outputs, inputs, backend));
  for (int round = 0; round < 20; ++round) {
    const Tensors again =
        pjrt::Get(graph::Evaluate(built.graph, built.outputs, inputs, backend));
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(std::memcmp(again[i].data.data(), first[i].data.data(),
                            first[i].data.size() * sizeof(double)),
                0)
          << "round " << round << ", output " << i;
    }
  }
}

// With --config=asan, that they leak nothing either.
TEST_P(EitherWayTest, AThousandRunsKeepNoMemory) {
  const Built built(GetParam(), DType::kF32);
  std::vector<graph::Output> outputs;
  for (const Value& value : built.outputs) {
    outputs.push_back({absl::StrCat("output", outputs.size()), value});
  }
  const Value y = built.outputs[0];
  outputs.push_back({"sums", ReduceSum(y, {0, 1, 2})});
  outputs.push_back({"squares", ReduceSum(Square(y), {0, 1, 2})});
  const graph::Compiled compiled = pjrt::Get(graph::Compiled::Make(pjrt::Get(
      graph::Finish(built.graph, outputs, {.backend = TargetWithKernels()}))));
  const Tensors inputs = RandomInputs(built);
  pjrt::Get(compiled.Time(inputs, 100));
  const size_t before = mallinfo2().uordblks;
  pjrt::Get(compiled.Time(inputs, 1000));
  // Results of runs that are still being freed, and allocators' own.
  constexpr size_t kNoise = 500'000;
  EXPECT_LT(mallinfo2().uordblks, before + kNoise);
}

// A wrong call is an error of the execution, with the call's name and place.
TEST(ConvolutionTest, WrongCallsNameTheirPlace) {
  const Backend backend = TargetWithKernels();
  const auto error = [&](const Shape& kernel, graph::CallConfig config) {
    graph::Graph graph;
    Value x = graph.Parameter("x", {DType::kF32, {2, 4, 4, 3}});
    Value w = graph.Parameter("w", kernel);
    const graph::Scope scope(graph, "net/stem");
    Value y = graph::CustomCall({x, w}, {graph::kConvolutionCall,
                                         {{DType::kF32, {2, 4, 4, 8}}},
                                         std::move(config)})[0];
    std::mt19937 rng(1);
    return graph::Evaluate(graph, {y},
                           {graph::Random(x.shape(), 0, 1, rng),
                            graph::Random(w.shape(), 0, 1, rng)},
                           backend)
        .status();
  };
  const graph::CallConfig good = {{"strides", graph::Dims{1, 1}},
                                  {"dilation", graph::Dims{1, 1}},
                                  {"padding", graph::Dims{0, 0, 0, 0}}};
  const Shape kernel{DType::kF32, {1, 1, 3, 8}};
  EXPECT_OK(error(kernel, good));
  EXPECT_ERROR(
      error({DType::kF32, {1, 1, 4, 8}}, good), kInternal,
      "xla_byol.convolution: oneDNN cannot plan a convolution: invalid "
      "arguments (f32[2,4,4,3], f32[1,1,4,8]) at net/stem");
  EXPECT_ERROR(error({DType::kF32, {3, 8}}, good), kInvalidArgument,
               "the second operand has 2 numbers instead of 4");
  EXPECT_ERROR(error({DType::kF64, {1, 1, 3, 8}}, good), kInvalidArgument,
               "operand 1 is f64[1,1,3,8], not f32");
  EXPECT_ERROR(error(kernel, {}), kInvalidArgument,
               "the attribute 'strides' is absent");
  graph::CallConfig few = good;
  few["padding"] = graph::Dims{0};
  EXPECT_ERROR(error(kernel, few), kInvalidArgument,
               "padding has 1 numbers instead of 4");
}

}  // namespace
}  // namespace xla_byol::kernels
