#include "xla_byol/runtime/step_json.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "tests/testing/small_config.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_reader.h"
#include "xla_byol/config/config.h"
#include "xla_byol/step/train_step.h"

namespace xla_byol {
namespace {

using ::testing::HasSubstr;

std::string JsonOf(const Config& config, const CompileReport& report) {
  return StepJson(config, BuildTrainStep(config, {.replicas = 2}).value(),
                  report);
}

// What ReadStepJson makes of a file with this text.
absl::StatusOr<StepRecord> ReadBack(const std::string& text) {
  const std::string folder = TempFolder();
  EXPECT_TRUE(WriteFileAtomically(JoinPath(folder, "step.json"), text).ok());
  return ReadStepJson(folder);
}

TEST(StepJsonTest, WhatWasCompiledComesBack) {
  const Config config = SmallConfig({}, 2);
  const CompileReport report = {
      .platform = "tpu",
      .topology = "v3:2x2",
      .devices = 8,
      .build_seconds = 0.25,
      .program_crc32c = 4'000'000'000u,
      .compile_seconds = 12.5,
      .memory = pjrt::CompiledMemory{.argument_bytes = int64_t{5} << 33,
                                     .output_bytes = 2,
                                     .alias_bytes = 3,
                                     .temp_bytes = 4,
                                     .code_bytes = 5},
      .flops = 1e12,
      .bytes_accessed = 3.5e9,
      .optimal_seconds = 0.001,
      .executable = ExecutableRecord{.plugin = "tpu api 0.72",
                                     .device_kind = "TPU v3",
                                     .bytes = int64_t{1} << 40,
                                     .crc32c = 3'000'000'000u}};
  const StepRecord record = ReadBack(JsonOf(config, report)).value();
  EXPECT_EQ(record.report.platform, "tpu");
  EXPECT_EQ(record.report.topology, "v3:2x2");
  EXPECT_EQ(record.report.devices, 8);
  EXPECT_EQ(record.report.build_seconds, 0.25);
  EXPECT_EQ(record.report.program_crc32c, 4'000'000'000u);
  EXPECT_EQ(record.report.compile_seconds, 12.5);
  ASSERT_TRUE(record.report.memory.has_value());
  EXPECT_EQ(record.report.memory->argument_bytes, int64_t{5} << 33);
  EXPECT_EQ(record.report.memory->output_bytes, 2);
  EXPECT_EQ(record.report.memory->alias_bytes, 3);
  EXPECT_EQ(record.report.memory->temp_bytes, 4);
  EXPECT_EQ(record.report.memory->code_bytes, 5);
  EXPECT_EQ(record.report.flops, 1e12);
  EXPECT_EQ(record.report.bytes_accessed, 3.5e9);
  EXPECT_EQ(record.report.optimal_seconds, 0.001);
  ASSERT_TRUE(record.report.executable.has_value());
  EXPECT_EQ(record.report.executable->plugin, "tpu api 0.72");
  EXPECT_EQ(record.report.executable->device_kind, "TPU v3");
  EXPECT_EQ(record.report.executable->bytes, int64_t{1} << 40);
  EXPECT_EQ(record.report.executable->crc32c, 3'000'000'000u);
  EXPECT_EQ(FormatConfig(ParseConfig(record.config, "step.json").value()),
            FormatConfig(config));
}

TEST(StepJsonTest, WhatIsNotKnownIsNull) {
  const std::string text =
      JsonOf(SmallConfig({}, 2), {.platform = "none", .devices = 2});
  const JsonValue json = ParseJson(text).value();
  for (const char* key : {"compile_seconds", "memory", "executable"}) {
    ASSERT_NE(json.Find(key), nullptr) << key;
    EXPECT_EQ(json.Find(key)->type, JsonValue::Type::kNull) << key;
  }
  const StepRecord record = ReadBack(text).value();
  EXPECT_FALSE(record.report.compile_seconds.has_value());
  EXPECT_FALSE(record.report.memory.has_value());
  EXPECT_FALSE(record.report.flops.has_value());
  EXPECT_FALSE(record.report.executable.has_value());
}

TEST(StepJsonTest, TensorsHaveNamesShapesAndRoles) {
  const std::string text =
      JsonOf(SmallConfig({}, 2), {.platform = "none", .devices = 2});
  const JsonValue json = ParseJson(text).value();
  const auto& inputs = json.Find("inputs")->elements;
  const auto& outputs = json.Find("outputs")->elements;
  bool view = false;
  for (const JsonValue& input : inputs) {
    const std::string& role = input.Find("role")->string;
    const JsonValue* donated = input.Find("donated_to");
    // State is updated in place; the batch and the scalars are not.
    ASSERT_EQ(donated != nullptr, role != "batch" && role != "scalar");
    if (donated != nullptr) {
      const auto& output = outputs[static_cast<size_t>(donated->number)];
      EXPECT_EQ(output.Find("name")->string, input.Find("name")->string);
    }
    if (input.Find("name")->string != "view1") continue;
    view = true;
    EXPECT_EQ(role, "batch");
    EXPECT_EQ(input.Find("dtype")->string, "u8");
    const auto& shape = input.Find("shape")->elements;
    ASSERT_EQ(shape.size(), 4u);
    EXPECT_EQ(shape[0].number, 4);  // of 8 images, for one of 2 replicas
    EXPECT_EQ(shape[3].number, 3);
  }
  EXPECT_TRUE(view);
}

TEST(StepJsonTest, BytesOfInputsByRole) {
  const StepRecord record =
      ReadBack(R"({"inputs":[{"dtype":"f32","shape":[3,5],"role":"online"},)"
               R"({"dtype":"f32","shape":[],"role":"online"},)"
               R"({"dtype":"u8","shape":[4,7],"role":"batch"},)"
               R"({"dtype":"s32","shape":[4],"role":"batch"}]})")
          .value();
  const std::vector<std::pair<std::string, int64_t>> expected = {{"online", 64},
                                                                 {"batch", 44}};
  EXPECT_EQ(record.input_bytes, expected);
}

TEST(StepJsonTest, ErrorsNameTheFile) {
  EXPECT_THAT(std::string(ReadStepJson("/nowhere").status().message()),
              HasSubstr("/nowhere/step.json"));
  for (const char* text : {"", "[]", "{", "3"}) {
    const absl::Status status = ReadBack(text).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("step.json"));
  }
}

}  // namespace
}  // namespace xla_byol
