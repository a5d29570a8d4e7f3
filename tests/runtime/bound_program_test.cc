#include "xla_byol/runtime/bound_program.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/pjrt/testing.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/program/program_builder.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Shape;
using graph::Value;
using pjrt::Get;

constexpr int kDevices = 2;

// total <- total + rate * (sum of x over all devices); says x's own sum and,
// with `diagnostics`, total's square.
NamedProgram Accumulate(bool diagnostics = false, int64_t size = 3) {
  const Shape shape{DType::kF32, {size}};
  ProgramBuilder builder("accumulate", {.replicas = kDevices});
  const Value total = builder.Input("total", TensorRole::kOnline, shape);
  const Value x = builder.Input("x", TensorRole::kBatch, shape);
  const Value rate =
      builder.Input("rate", TensorRole::kScalar, {DType::kF32, {}});
  const Value count =
      builder.Input("count", TensorRole::kScalar, {DType::kS32, {}});
  const Value next = total + rate * AllReduce(x);
  builder.Output("sum", TensorRole::kMetric, Sum(x));
  builder.Update("total", next);
  builder.Output("count_seen", TensorRole::kMetric,
                 Convert(count, DType::kF32));
  if (diagnostics) {
    builder.Output("square", TensorRole::kDiagnostic, Sum(next * next));
    builder.Output("squares", TensorRole::kDiagnostic, next * next);
  }
  return Get(builder.Finish());
}

class BoundProgramTest : public ::testing::Test {
 protected:
  pjrt::LoadedExecutable Compile(const NamedProgram& program) {
    return Get(
        client_.Compile(program.program.text, {.num_replicas = kDevices}));
  }

  static void SetAll(BoundProgram& bound) {
    const std::vector<float> zeros = {0, 0, 0};
    EXPECT_OK(bound.SetAll("total", absl::MakeConstSpan(zeros)));
    for (size_t device = 0; device < bound.devices(); ++device) {
      const float value = device == 0 ? 1 : 10;
      const std::vector<float> x = {value, 2 * value, 3 * value};
      EXPECT_OK(bound.Set("x", device, absl::MakeConstSpan(x)));
    }
    EXPECT_OK(bound.SetAll<float>("rate", {0.5f}));
    EXPECT_OK(bound.SetAll<int32_t>("count", {7}));
  }

  const pjrt::Client client_ = pjrt::CpuClient(kDevices);
};

TEST_F(BoundProgramTest, InputsStayAndStateIsKeptInPlace) {
  const NamedProgram program = Accumulate();
  const pjrt::LoadedExecutable executable = Compile(program);
  BoundProgram bound(client_, executable, program);
  SetAll(bound);
  EXPECT_OK(bound.Run());
  EXPECT_OK(bound.Run());
  // Twice half of 1 + 10, 2 + 20, 3 + 30.
  const std::vector<float> total = {11, 22, 33};
  EXPECT_EQ(Get(bound.Read<float>("total")), total);
  EXPECT_EQ(Get(bound.Read<float>("total", 1)), total);
  EXPECT_EQ(Get(bound.ReadState()), std::vector<std::vector<float>>{total});
  // Of each device its own.
  EXPECT_EQ(Get(bound.Read<float>("sum", 0))[0], 6);
  EXPECT_EQ(Get(bound.Read<float>("sum", 1))[0], 60);
  EXPECT_EQ(Get(bound.Read<float>("x", 1))[0], 10);
}

TEST_F(BoundProgramTest, HandlesAndStagedInputsAreForTheNextRun) {
  const NamedProgram program = Accumulate();
  const pjrt::LoadedExecutable executable = Compile(program);
  BoundProgram first(client_, executable, program);
  BoundProgram bound = std::move(first);  // may be moved at any time
  SetAll(bound);
  const InputHandle x = Get(bound.FindInput("x"));
  const InputHandle rate = Get(bound.FindInput("rate"));
  const std::vector<float> next = {4, 4, 4};
  StagedInputs staged;
  for (size_t device = 0; device < kDevices; ++device) {
    EXPECT_OK(
        bound.Stage(x, device, BytesOf(absl::MakeConstSpan(next)), staged));
  }
  EXPECT_OK(bound.Run());  // not yet
  EXPECT_EQ(Get(bound.Read<float>("sum"))[0], 6);
  bound.Take(std::move(staged));
  EXPECT_OK(bound.SetAll<float>(rate, {0.0f}));
  EXPECT_OK(bound.Run());
  EXPECT_EQ(Get(bound.Read<float>("sum"))[0], 12);
  EXPECT_EQ(Get(bound.Read<float>("total"))[0], 5.5f);
}

TEST_F(BoundProgramTest, OutputsAreKnownByRole) {
  const NamedProgram program = Accumulate(/*diagnostics=*/true);
  const pjrt::LoadedExecutable executable = Compile(program);
  BoundProgram bound(client_, executable, program);
  SetAll(bound);
  EXPECT_OK(bound.Run());
  const StepOutputs outputs = bound.TakeOutputs();
  EXPECT_OK(bound.Run());  // does not change what was taken
  const auto metrics = Get(outputs.ReadScalars(TensorRole::kMetric));
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0].name, "sum");
  EXPECT_EQ(metrics[0].value, 6);
  EXPECT_EQ(metrics[1].name, "count_seen");
  EXPECT_EQ(metrics[1].value, 7);
  const auto diagnostics = Get(outputs.ReadScalars(TensorRole::kDiagnostic));
  ASSERT_EQ(diagnostics.size(), 1u);  // the vector is none
  EXPECT_EQ(diagnostics[0].name, "square");
  EXPECT_EQ(diagnostics[0].value, 5.5f * 5.5f * 14);
  EXPECT_EQ(Get(outputs.Read("squares"))[0], 5.5f * 5.5f);
  EXPECT_ERROR(outputs.Read("total").status(), kNotFound, "'total'");
}

// Either program goes on where the other stopped, as training does with its
// diagnostics.
TEST_F(BoundProgramTest, TwoProgramsShareInputsAndState) {
  const NamedProgram plain = Accumulate();
  const NamedProgram more = Accumulate(/*diagnostics=*/true);
  const pjrt::LoadedExecutable plain_executable = Compile(plain);
  const pjrt::LoadedExecutable more_executable = Compile(more);
  BoundProgram one(client_, plain_executable, plain);
  BoundProgram other(client_, more_executable, more);
  EXPECT_OK(other.ShareInputs(one));
  SetAll(one);
  EXPECT_OK(one.Run());
  EXPECT_OK(other.Run());
  EXPECT_EQ(Get(other.Read<float>("square"))[0], 11 * 11 * 14);
  EXPECT_OK(one.Run());
  EXPECT_EQ(Get(one.ReadState()), Get(other.ReadState()));
  EXPECT_EQ(Get(one.Read<float>("total"))[0], 16.5f);

  const NamedProgram longer = Accumulate(/*diagnostics=*/false, /*size=*/4);
  const pjrt::LoadedExecutable longer_executable = Compile(longer);
  BoundProgram third(client_, longer_executable, longer);
  EXPECT_ERROR(third.ShareInputs(one), kFailedPrecondition,
               "cannot share 'total': it is f32[4] in one and f32[3]");
}

TEST_F(BoundProgramTest, WhatIsWrongIsSaidWithItsName) {
  const NamedProgram program = Accumulate();
  const pjrt::LoadedExecutable executable = Compile(program);
  BoundProgram bound(client_, executable, program);
  const std::vector<float> values = {1, 2, 3};
  EXPECT_ERROR(bound.SetAll("y", absl::MakeConstSpan(values)), kNotFound,
               "no input 'y'; it has total, x, rate, count");
  EXPECT_ERROR(bound.SetAll<float>("count", {1.0f}), kInvalidArgument,
               "input 'count' is s32[], the values are f32");
  EXPECT_ERROR(bound.SetAll<float>("x", {1.0f}), kInvalidArgument, "f32[3]");
  EXPECT_ERROR(bound.Read<float>("y").status(), kNotFound, "no output 'y'");
  // Nothing was set.
  EXPECT_FALSE(bound.Run().ok());
}

}  // namespace
}  // namespace xla_byol
