#include "xla_byol/inspect/inspection.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "tests/inspect/small_module.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_reader.h"

namespace xla_byol {
namespace {

using ::testing::HasSubstr;

StepRecord RecordFor(const std::string& platform, const std::string& topology) {
  StepRecord record;
  record.report = {.platform = platform,
                   .topology = topology,
                   .devices = 8,
                   .compile_seconds = 2.5,
                   .memory = pjrt::CompiledMemory{.argument_bytes = 1000,
                                                  .output_bytes = 700,
                                                  .alias_bytes = 600,
                                                  .temp_bytes = 5000,
                                                  .code_bytes = 40}};
  record.config = "name: \"small\" schedule { batch_size: 16 }";
  record.input_bytes = {{"online", 600}, {"batch", 300}};
  return record;
}

Inspection Inspected(const StepRecord& record) {
  return Inspect(record, ReadHloProgram(SmallProgram()).value()).value();
}

JsonValue Written(const Inspection& inspection) {
  return ParseJson(InspectionJson(inspection)).value();
}

double Number(const JsonValue& json, const char* key) {
  return json.Find(key)->number;
}

// The element of a list whose `key` is `text`.
const JsonValue& Named(const JsonValue& json, const char* list, const char* key,
                       const char* text) {
  for (const JsonValue& one : json.Find(list)->elements) {
    if (one.Find(key)->string == text) return one;
  }
  static const auto& none = *new JsonValue;
  ADD_FAILURE() << list << " has no " << text;
  return none;
}

TEST(InspectionTest, HoldsTheNumbersOfTheAnalysis) {
  const Inspection inspection = Inspected(RecordFor("tpu", "v3:2x2"));
  const JsonValue json = Written(inspection);
  EXPECT_EQ(json.Find("name")->string, "small");
  EXPECT_EQ(Number(json, "batch"), 16);
  EXPECT_EQ(Number(json, "devices"), 8);
  EXPECT_EQ(Number(json, "compile_seconds"), 2.5);
  EXPECT_EQ(Number(*json.Find("total"), "flops"), inspection.cost.total.flops);
  EXPECT_EQ(Number(*json.Find("total"), "cycles"), 940 + 700 + 60);
  // 1700 cycles at v3's 0.94 GHz.
  EXPECT_DOUBLE_EQ(Number(json, "compute_seconds"), 1700 / 0.94e9);
  const JsonValue& predictor = Named(json, "parts", "part", "predictor");
  EXPECT_EQ(Number(predictor, "flops"), 7 * 2.0 * 16 * 16 * 16);
  EXPECT_DOUBLE_EQ(Number(predictor, "seconds"), 700 / 0.94e9);
  const JsonValue& scope =
      Named(json, "scopes", "scope", "gradient/online/projector/dense1");
  EXPECT_EQ(scope.Find("part")->string, "projector");
  EXPECT_EQ(scope.Find("pass")->string, "gradient");
  // The costliest first.
  const auto& instructions = json.Find("instructions")->elements;
  ASSERT_EQ(instructions.size(), 3u);
  EXPECT_EQ(instructions[0].Find("name")->string, "c");
  EXPECT_EQ(instructions[1].Find("name")->string, "mm");
  EXPECT_EQ(Number(instructions[1], "times"), 7);
  const JsonValue& sum = Named(json, "collectives", "name", "ar");
  EXPECT_EQ(sum.Find("kind")->string, "all-reduce");
  EXPECT_EQ(Number(sum, "bytes"), 4096);
  EXPECT_GT(Number(sum, "seconds"), 0);
  EXPECT_EQ(
      Number(Named(json, "memory", "kind", "padding of arguments"), "bytes"),
      100);
  EXPECT_EQ(
      Number(Named(json, "memory", "kind", "outputs not in place"), "bytes"),
      100);
  EXPECT_EQ(Number(json, "peak_bytes"),
            static_cast<double>(inspection.cost.peak_bytes));
}

TEST(InspectionTest, NoTimesForAnUnknownMachine) {
  const JsonValue json = Written(Inspected(RecordFor("cpu", "")));
  for (const char* key : {"unit", "capacity", "compute_seconds"}) {
    EXPECT_EQ(json.Find(key), nullptr) << key;
  }
  EXPECT_EQ(json.Find("collectives")->elements[0].Find("seconds"), nullptr);
  EXPECT_GT(Number(*json.Find("total"), "flops"), 0);
}

TEST(InspectionTest, AnUnreadableConfigIsAnError) {
  StepRecord record = RecordFor("cpu", "");
  record.config = "nonsense";
  EXPECT_THAT(std::string(Inspect(record, HloProgram()).status().message()),
              HasSubstr("step.json"));
}

TEST(InspectionTest, CostsComeBackAsTheyWere) {
  const std::string folder = TempFolder();
  Inspection inspection = Inspected(RecordFor("tpu", "v3:2x2"));
  ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, kInspectionFile),
                                  InspectionJson(inspection))
                  .ok());
  ProgramCost read = ReadInspectedCost(folder).value();
  ASSERT_EQ(read.scopes.size(), inspection.cost.scopes.size());
  for (const auto& [scope, cost] : inspection.cost.scopes) {
    SCOPED_TRACE(scope);
    EXPECT_EQ(read.scopes.at(scope).flops, cost.flops);
    EXPECT_EQ(read.scopes.at(scope).bytes, cost.bytes);
    EXPECT_EQ(read.scopes.at(scope).cycles, cost.cycles);
    EXPECT_EQ(read.scopes.at(scope).instructions, cost.instructions);
  }
  EXPECT_EQ(read.total.flops, inspection.cost.total.flops);
  EXPECT_EQ(read.peak_bytes, inspection.cost.peak_bytes);
  const StepEstimate estimate = EstimateStep(*inspection.machine, read);
  EXPECT_EQ(estimate.compute_seconds, inspection.estimate->compute_seconds);
  EXPECT_EQ(estimate.collectives.seconds(),
            inspection.estimate->collectives.seconds());
  EXPECT_EQ(estimate.collective_bytes, inspection.estimate->collective_bytes);
}

TEST(InspectionTest, ErrorsNameTheFile) {
  const std::string folder = TempFolder();
  const std::string path = JoinPath(folder, kInspectionFile);
  EXPECT_THAT(std::string(ReadInspectedCost(folder).status().message()),
              HasSubstr(path));
  for (const char* text : {"", "[]", "{\"scopes\":3}", "{\"scopes\":[]"}) {
    ASSERT_TRUE(WriteFileAtomically(path, text).ok());
    EXPECT_THAT(std::string(ReadInspectedCost(folder).status().message()),
                HasSubstr(path + " is not what export wrote"));
  }
}

}  // namespace
}  // namespace xla_byol
