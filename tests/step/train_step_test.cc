#include "xla_byol/step/train_step.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/pjrt/testing.h"
#include "tests/testing/small_config.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/settings/settings.h"
#include "xla_byol/step/state.h"

namespace xla_byol {
namespace {

TEST(TrainStepTest, StateComesFirstAndIsDonatedInPlace) {
  const NamedProgram step =
      BuildTrainStep(SmallConfig({}, 2), {.replicas = 2}).value();
  const size_t state = StateLayout(SmallConfig()).value().size();
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const ProgramTensor& input = step.inputs[i];
    EXPECT_EQ(IsState(input.role), i < state) << input.name;
    EXPECT_EQ(step.program.inputs[i].donated_to.has_value(), i < state);
    if (i >= state) continue;
    EXPECT_EQ(input.name, step.outputs[i].name);
    EXPECT_EQ(step.program.inputs[i].donated_to, i) << input.name;
    EXPECT_EQ(input.shape.dtype, graph::DType::kF32);
  }
  const graph::Dims pixels = {4, 16, 16, 3};  // half of the batch
  EXPECT_EQ(step.FindInput("view1")->shape.dims, pixels);
  EXPECT_EQ(step.FindInput("learning_rate")->role, TensorRole::kScalar);
  EXPECT_EQ(step.FindOutput("loss")->role, TensorRole::kMetric);
  EXPECT_EQ(step.FindOutput("latent_covariance"), nullptr);
}

// Diagnostics are outputs more, known by their role; the rest is the same.
TEST(TrainStepTest, DiagnosticsComeLast) {
  const NamedProgram plain = BuildTrainStep(SmallConfig(), {}).value();
  const NamedProgram more =
      BuildTrainStep(SmallConfig(), {.diagnostics = true}).value();
  ASSERT_GT(more.outputs.size(), plain.outputs.size());
  for (size_t i = 0; i < more.outputs.size(); ++i) {
    const ProgramTensor& output = more.outputs[i];
    EXPECT_EQ(output.role == TensorRole::kDiagnostic,
              i >= plain.outputs.size());
    if (i < plain.outputs.size()) {
      EXPECT_EQ(output.name, plain.outputs[i].name);
    }
  }
  EXPECT_NE(more.FindOutput("predictor_stable_rank"), nullptr);
}

// The compiled step holds the state once: the outputs that replace it live in
// the inputs' memory.
TEST(TrainStepTest, CompiledStepHoldsItsStateOnce) {
  const NamedProgram step = BuildTrainStep(SmallConfig(), {}).value();
  int64_t state_bytes = 0;
  for (const ProgramTensor& input : step.inputs) {
    if (IsState(input.role)) state_bytes += input.shape.bytes();
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
  const StepOptions options{.replicas = 128, .backend = graph::Backend::kTpu};
  const Config config = LoadConfig("", "", {}, 128).value();
  EXPECT_EQ(BuildTrainStep(config, options)->program.text,
            BuildTrainStep(config, options)->program.text);
}

TEST(TrainStepTest, ComputeTypeFollowsThePlatformOrTheConfig) {
  EXPECT_EQ(ComputeType(SmallConfig(), graph::Backend::kCpu),
            graph::DType::kF32);
  EXPECT_EQ(ComputeType(SmallConfig(), graph::Backend::kTpu),
            graph::DType::kBF16);
  EXPECT_EQ(ComputeType(SmallConfig({"execution.compute_type=f32"}),
                        graph::Backend::kTpu),
            graph::DType::kF32);
  EXPECT_EQ(ComputeType(SmallConfig({"execution.compute_type=bf16"}),
                        graph::Backend::kCpu),
            graph::DType::kBF16);
}

}  // namespace
}  // namespace xla_byol
