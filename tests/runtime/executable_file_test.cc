// A step made by `export`, loaded as `train --executable=` does.

#include "xla_byol/runtime/executable_file.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "tests/base/temp_folder.h"
#include "tests/pjrt/testing.h"
#include "tests/testing/small_config.h"
#include "xla_byol/base/files.h"
#include "xla_byol/inspect/step_compiler.h"
#include "xla_byol/settings/settings.h"
#include "xla_byol/step/state.h"
#include "xla_byol/training/bound_step.h"

namespace xla_byol {
namespace {

using pjrt::Get;

Config Tiny(const std::string& predictor = "NEWTON_SCHULZ") {
  return SmallConfig({"data.image_size=8", "data.classes=0",
                      "data.augmentation=false", "predictor.kind=" + predictor},
                     2);
}

Destination Cpu(int devices) {
  Destination destination;
  destination.platform = "cpu";
  destination.client = pjrt::CpuClient(devices);
  destination.backend = graph::Backend::kCpu;
  destination.devices = devices;
  return destination;
}

// One step from the first state, on pixels that do not matter.
std::map<std::string, float> MetricsOf(const pjrt::Client& client,
                                       const pjrt::LoadedExecutable& executable,
                                       const ExportedStep& step) {
  BoundStep bound =
      Get(BoundStep::Create(BoundProgram(client, executable, step.step)));
  const std::vector<StateTensor> layout = Get(StateLayout(step.config));
  EXPECT_OK(bound.WriteState(layout, [&](size_t i, absl::Span<float> values) {
    InitializeState(layout[i], 1, values);
  }));
  std::vector<uint8_t> pixels(4 * 8 * 8 * 3);
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(i * i % 251);
  }
  const std::vector<int32_t> labels(4, -1);
  const std::vector<HostBatch> batches(2, {pixels, pixels, labels});
  EXPECT_OK(bound.Run(Get(bound.StartTransfer(batches)),
                      ScalarsForStep(step.config, 0)));
  std::map<std::string, float> metrics;
  for (const auto& [name, value] :
       Get(bound.program().TakeOutputs().ReadScalars(TensorRole::kMetric))) {
    metrics.emplace(name, value);
  }
  return metrics;
}

// Compiled once, as that takes its time; each test has its own copy of the
// files.
class ExecutableFileTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    destination_ = new Destination(Cpu(2));
    step_ = new ExportedStep(Get(BuildStep(Tiny(), *destination_)));
    EXPECT_OK(CompileStep(*destination_, *step_));
  }

  static void TearDownTestSuite() {
    delete step_;
    delete destination_;
  }

  void SetUp() override { EXPECT_OK(WriteStep(folder_, *step_)); }

  const pjrt::Client& client() const { return *destination_->client; }
  const std::string& program() const { return step_->step.program.text; }
  std::string File(const char* name) const { return JoinPath(folder_, name); }

  static Destination* destination_;
  static ExportedStep* step_;
  const std::string folder_ = TempFolder();
};

Destination* ExecutableFileTest::destination_ = nullptr;
ExportedStep* ExecutableFileTest::step_ = nullptr;

TEST_F(ExecutableFileTest, LoadsAndRuns) {
  const pjrt::LoadedExecutable compiled =
      Get(client().Compile(program(), {.num_replicas = 2}));
  const auto expected = MetricsOf(client(), compiled, *step_);
  EXPECT_GT(expected.at("loss"), 0);
  // By the folder, and by the file.
  for (const std::string& path : {folder_, File("step.executable")}) {
    const pjrt::LoadedExecutable loaded =
        Get(LoadExecutableFile(path, client(), program()));
    EXPECT_EQ(MetricsOf(client(), loaded, *step_), expected);
  }
}

TEST_F(ExecutableFileTest, WhatDoesNotMatchIsRefusedWithItsReason) {
  const pjrt::Client other = pjrt::CpuClient(4);
  EXPECT_ERROR(
      LoadExecutableFile(folder_, other, program()).status(),
      kFailedPrecondition,
      "was made for a number of devices of '2', this is '4'; export it again "
      "for this machine, or leave --executable out to compile here");
  const ExportedStep linear = Get(BuildStep(Tiny("LINEAR"), *destination_));
  EXPECT_ERROR(
      LoadExecutableFile(folder_, client(), linear.step.program.text).status(),
      kFailedPrecondition, "holds another program");

  const std::string json = Get(ReadFile(File("step.json")));
  const std::string newer = absl::StrReplaceAll(json, {{" api 0.", " api 1."}});
  ASSERT_NE(newer, json);
  EXPECT_OK(WriteFileAtomically(File("step.json"), newer));
  EXPECT_ERROR(LoadExecutableFile(folder_, client(), program()).status(),
               kFailedPrecondition, "was made for plugin 'cpu api 1.");
  EXPECT_OK(WriteFileAtomically(
      File("step.json"),
      absl::StrReplaceAll(
          json, {{"\"device_kind\":\"cpu\"", "\"device_kind\":\"TPU v3\""}})));
  EXPECT_ERROR(LoadExecutableFile(folder_, client(), program()).status(),
               kFailedPrecondition,
               "was made for devices of kind 'TPU v3', this is 'cpu'");
}

TEST_F(ExecutableFileTest, WhatIsDamagedIsRefused) {
  std::string bytes = Get(ReadFile(File("step.executable")));
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_OK(WriteFileAtomically(File("step.executable"), bytes));
  EXPECT_ERROR(LoadExecutableFile(folder_, client(), program()).status(),
               kDataLoss, "is damaged");
  EXPECT_OK(WriteFileAtomically(File("step.json"), "{\"platform\":"));
  EXPECT_ERROR(LoadExecutableFile(folder_, client(), program()).status(),
               kDataLoss, "step.json is no export's");
  EXPECT_ERROR(LoadExecutableFile("/nowhere", client(), program()).status(),
               kNotFound, "/nowhere/step.json");
}

}  // namespace
}  // namespace xla_byol
