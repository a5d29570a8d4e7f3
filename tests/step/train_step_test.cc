#include "xla_byol/step/train_step.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/pjrt/testing.h"
#include "tests/testing/small_config.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

TEST(TrainStepTest, StateComesFirstAndIsDonatedInPlace) {
  const StepProgram step =
      BuildTrainStep(SmallConfig({}, 2), {.replicas = 2}).value();
  for (int i = 0; i < step.state_tensors; ++i) {
    EXPECT_EQ(step.inputs[i].name, step.outputs[i].name);
    EXPECT_EQ(step.program.inputs[i].donated_to, i) << step.inputs[i].name;
    EXPECT_EQ(step.inputs[i].shape.dtype, graph::DType::kF32);
  }
  const graph::Dims pixels = {4, 16, 16, 3};  // half of the batch
  EXPECT_EQ(step.inputs[step.state_tensors].name, "view1");
  EXPECT_EQ(step.inputs[step.state_tensors].shape.dims, pixels);
  EXPECT_EQ(step.inputs.back().role, TensorRole::kScalar);
  EXPECT_EQ(step.outputs.back().role, TensorRole::kMetric);
}

// The compiled step holds the state once: the outputs that replace it live in
// the inputs' memory.
TEST(TrainStepTest, CompiledStepHoldsItsStateOnce) {
  const StepProgram step = BuildTrainStep(SmallConfig(), {}).value();
  int64_t state_bytes = 0;
  for (int i = 0; i < step.state_tensors; ++i) {
    state_bytes += step.inputs[i].shape.bytes();
  }
  const pjrt::Client client = pjrt::CpuClient(1);
  const pjrt::LoadedExecutable executable =
      client.Compile(step.program.text, {}).value();
  const pjrt::CompiledMemory memory = executable.executable().Memory().value();
  EXPECT_EQ(memory.alias_bytes, state_bytes);
  // Only metrics and the table of pointers are new.
  EXPECT_LT(memory.output_bytes - memory.alias_bytes, 64 * 1024);
}

TEST(TrainStepTest, TheSameConfigGivesTheSameText) {
  const StepOptions options{.replicas = 128, .target = graph::Target::kTpu};
  const Config config = LoadConfig("", "", {}, 128).value();
  EXPECT_EQ(BuildTrainStep(config, options)->program.text,
            BuildTrainStep(config, options)->program.text);
}

TEST(TrainStepTest, ComputeTypeFollowsThePlatformOrTheConfig) {
  EXPECT_EQ(ComputeType(SmallConfig(), graph::Target::kCpu),
            graph::DType::kF32);
  EXPECT_EQ(ComputeType(SmallConfig(), graph::Target::kTpu),
            graph::DType::kBF16);
  EXPECT_EQ(ComputeType(SmallConfig({"execution.compute_type=f32"}),
                        graph::Target::kTpu),
            graph::DType::kF32);
  EXPECT_EQ(ComputeType(SmallConfig({"execution.compute_type=bf16"}),
                        graph::Target::kCpu),
            graph::DType::kBF16);
}

}  // namespace
}  // namespace xla_byol
