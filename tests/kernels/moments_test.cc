// Sums of columns and of their squares, called by programs, against sums in
// double precision.

#include "xla_byol/kernels/moments.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/graph/evaluate.h"
#include "tests/pjrt/testing.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/graph/program.h"
#include "xla_byol/kernels/kernels.h"

namespace xla_byol::kernels {
namespace {

using graph::Backend;
using graph::Dims;
using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::Tensor;
using graph::Tensors;
using graph::Value;

Backend BackendWithKernels() {
  const pjrt::Plugin* plugin =
      pjrt::Get(pjrt::Plugin::Load(pjrt::Platform::kCpu));
  return Backend(Backend::kCpu, RegisterKernels(*plugin).custom_calls);
}

absl::StatusOr<Tensors> Call(const Tensor& x, const Shape& sums,
                             int results = 2) {
  Graph graph;
  const Value parameter = graph.Parameter("x", x.shape);
  const graph::Scope scope(graph, "net/norm");
  return graph::Evaluate(
      graph,
      graph::CustomCall({parameter},
                        {graph::kMomentsCall,
                         graph::Shapes(static_cast<size_t>(results), sums),
                         {}}),
      {x}, BackendWithKernels());
}

// Blocks that are full, begun, or missing; columns that fill registers, leave
// some over, or fill none.
TEST(MomentsTest, AreSumsOfColumns) {
  for (const Dims& dims :
       {Dims{1, 128, 16}, Dims{2, 3136, 64}, Dims{2, 129, 17}, Dims{3, 7, 5},
        Dims{1, 1000, 1}, Dims{2, 1, 33}, Dims{1, 131, 2048}, Dims{2, 0, 3}}) {
    std::mt19937 rng(5);
    Tensor x = graph::Random({DType::kF32, dims}, -1, 1, rng);
    for (double& value : x.data) value = static_cast<float>(value);
    const Shape sums{DType::kF32, {dims[0], dims[2]}};
    const Tensors moments = pjrt::Get(Call(x, sums));
    ASSERT_EQ(moments.size(), 2u);
    for (int64_t group = 0; group < dims[0]; ++group) {
      for (int64_t column = 0; column < dims[2]; ++column) {
        double sum = 0, squares = 0, magnitude = 1e-30;
        for (int64_t row = 0; row < dims[1]; ++row) {
          const double value = x.at({group, row, column});
          sum += value;
          squares += value * value;
          magnitude += std::abs(value);
        }
        // 32 additions in a block, each of half a unit in the last place.
        const Dims at = {group, column};
        EXPECT_LT(std::abs(moments[0].at(at) - sum), 2e-6 * magnitude)
            << x.shape.ToString();
        EXPECT_LT(std::abs(moments[1].at(at) - squares), 2e-6 * magnitude)
            << x.shape.ToString();
      }
    }
  }
}

TEST(MomentsTest, LongColumnsLoseNoAccuracy) {
  std::mt19937 rng(4);
  const Tensor x =
      graph::Random({DType::kF32, {1, 8 * 112 * 112, 16}}, 0, 1, rng);
  const Tensors moments = pjrt::Get(Call(x, {DType::kF32, {1, 16}}));
  for (size_t column = 0; column < 16; ++column) {
    double sum = 0;
    for (size_t at = column; at < x.data.size(); at += 16) {
      sum += static_cast<float>(x.data[at]);
    }
    EXPECT_LT(std::abs(moments[0].data[column] - sum), 2e-7 * sum);
  }
}

TEST(MomentsTest, SameBitsEachTime) {
  std::mt19937 rng(6);
  const Tensor x = graph::Random({DType::kF32, {2, 777, 48}}, -1, 1, rng);
  const Tensors first = pjrt::Get(Call(x, {DType::kF32, {2, 48}}));
  for (int round = 0; round < 10; ++round) {
    const Tensors again = pjrt::Get(Call(x, {DType::kF32, {2, 48}}));
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(again[i].data, first[i].data);
  }
}

// Batch norm's sums over a convolution's result are one call, in any of the
// views' shapes; a sum over what the compiler computes on the way is none.
TEST(MomentsTest, BatchNormsSumsAreOneCall) {
  const Backend backend = BackendWithKernels();
  Graph graph;
  const Value x = graph.Parameter("x", {DType::kF32, {4, 9, 9, 3}});
  const Value w = graph.Parameter("w", {DType::kF32, {3, 3, 3, 8}});
  const Value y = graph::Conv2d(x, w, {.padding = graph::Padding::Same()});
  const Value views = Reshape(y, {2, 2, 9, 9, 8});
  const std::vector<Value> outputs = {ReduceSum(views, {1, 2, 3}),
                                      ReduceSum(Square(views), {1, 2, 3}),
                                      ReduceSum(graph::Sine(views), {1, 2, 3})};
  const graph::Program program = pjrt::Get(graph::Finish(
      graph,
      {{"sums", outputs[0]}, {"squares", outputs[1]}, {"sines", outputs[2]}},
      {.backend = backend}));
  int calls = 0;
  // A call's configuration repeats the name.
  const std::string target =
      absl::StrCat("call_target_name = \"", graph::kMomentsCall, "\"");
  for (size_t at = program.text.find(target); at != std::string::npos;
       at = program.text.find(target, at + 1)) {
    ++calls;
  }
  EXPECT_EQ(calls, 1);
  std::mt19937 rng(7);
  const Tensors inputs = {graph::Random(x.shape(), -1, 1, rng),
                          graph::Random(w.shape(), -1, 1, rng)};
  const Tensors called =
      pjrt::Get(graph::Evaluate(graph, outputs, inputs, backend));
  const Tensors plain =
      pjrt::Get(graph::Evaluate(graph, outputs, inputs, Backend::kCpu));
  for (size_t i = 0; i < outputs.size(); ++i) {
    ASSERT_EQ(called[i].shape, plain[i].shape);
    for (size_t j = 0; j < plain[i].data.size(); ++j) {
      // Of 162 terms, squares sum up to hundreds.
      const double magnitude = std::max(100.0, std::abs(plain[i].data[j]));
      EXPECT_NEAR(called[i].data[j], plain[i].data[j], 1e-6 * magnitude) << i;
    }
  }
}

TEST(MomentsTest, WrongCallsNameTheirPlace) {
  std::mt19937 rng(1);
  const Tensor x = graph::Random({DType::kF32, {2, 3, 4}}, 0, 1, rng);
  const auto error = [&](const Shape& sums, int results) {
    return Call(x, sums, results).status();
  };
  EXPECT_OK(error({DType::kF32, {2, 4}}, 2));
  EXPECT_ERROR(error({DType::kF32, {2, 3}}, 2), kInvalidArgument,
               "xla_byol.moments: the results are not [groups,columns] "
               "(f32[2,3,4]) at net/norm");
  EXPECT_ERROR(error({DType::kF32, {2, 4}}, 1), kInvalidArgument,
               "takes one operand and has two results");
  EXPECT_ERROR(error({DType::kF64, {2, 4}}, 2), kInvalidArgument,
               "result 0 is f64[2,4], not f32");
}

}  // namespace
}  // namespace xla_byol::kernels
