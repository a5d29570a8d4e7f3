// The models behind `scale`, without a compiler.

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_byol/inspect/collective_model.h"
#include "xla_byol/inspect/memory_shortage.h"
#include "xla_byol/scaling/batch_planner.h"
#include "xla_byol/scaling/scaling_table.h"

namespace xla_byol {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

Machine Get(const char* topology, int devices) {
  return FindMachine(topology, devices).value();
}

TEST(HardwareTest, TakesTopologiesApart) {
  const Machine pod = Get("v3:32x32", 2048);
  EXPECT_EQ(pod.chips(), 1024);
  EXPECT_EQ(pod.dims, (std::vector<int>{32, 32}));
  EXPECT_EQ(Get("v4:2x2x4", 16).chips(), 16);
  EXPECT_EQ(Get("h100:8", 8).dims, (std::vector<int>{8}));
  EXPECT_EQ(FindMachine("cpu", 1).status().code(), absl::StatusCode::kNotFound);
}

TEST(CollectiveModelTest, TwoDimensionalTorusByHand) {
  // v3, 70 GB/s a link: 8x8 chips are lines, 32x32 the whole torus.
  EXPECT_DOUBLE_EQ(ChipBandwidth(Get("v3:8x8", 128)), 2 * 70e9);
  EXPECT_DOUBLE_EQ(ChipBandwidth(Get("v3:32x32", 2048)), 4 * 70e9);
  EXPECT_DOUBLE_EQ(ChipBandwidth(Get("v4:4x4x8", 128)), 6 * 50e9);
  EXPECT_DOUBLE_EQ(ChipBandwidth(Get("h100:8", 8)), 450e9);
  const CollectiveUse gradients{.kind = "all-reduce", .bytes = 140'000'000};
  const CollectiveTime time = TimeOfCollective(gradients, Get("v3:8x8", 128));
  EXPECT_DOUBLE_EQ(time.transfer_seconds,
                   2 * 63.0 / 64 * 140e6 / 140e9 + 2 * 140e6 / 450e9);
  // Rings of 16 cores and of 8 chips, there and back, a microsecond a hop.
  EXPECT_DOUBLE_EQ(time.latency_seconds, 2 * (15 + 7) * 1e-6);
  const CollectiveUse half{.kind = "all-gather", .bytes = 140'000'000};
  EXPECT_DOUBLE_EQ(TimeOfCollective(half, Get("v3:8x8", 128)).latency_seconds,
                   time.latency_seconds / 2);
  // A group of eight cores is a line of four chips, wherever it is.
  CollectiveUse group = gradients;
  group.replicas = 8;
  const CollectiveTime near = TimeOfCollective(group, Get("v3:16x16", 512));
  EXPECT_DOUBLE_EQ(near.transfer_seconds,
                   2 * 3.0 / 4 * 140e6 / 70e9 + 2 * 140e6 / 450e9);
  EXPECT_DOUBLE_EQ(near.latency_seconds, 2 * 7 * 1e-6);
  // One device has no one to talk to.
  EXPECT_EQ(TimeOfCollective(gradients, Get("h100:1", 1)).seconds(), 0);
}

TEST(CollectiveModelTest, StepAddsCyclesAndCollectives) {
  ProgramCost cost;
  cost.scopes["a"].cycles = 94e6;
  cost.scopes["b"] = {.flops = 1e12, .bytes = 1e9};
  cost.collectives.push_back({.kind = "all-reduce", .bytes = 4, .times = 3});
  const StepEstimate tpu = EstimateStep(Get("v3:2x2", 8), cost);
  EXPECT_DOUBLE_EQ(tpu.compute_seconds, 0.1);
  EXPECT_DOUBLE_EQ(tpu.collectives.latency_seconds, 3 * 2 * (3 + 1) * 1e-6);
  EXPECT_EQ(tpu.collective_bytes, 12);
  // Without cycles the slower of arithmetic and memory counts.
  const StepEstimate gpu = EstimateStep(Get("h100:8", 8), cost);
  EXPECT_DOUBLE_EQ(gpu.compute_seconds, 1e12 / 989e12);
}

TEST(MemoryShortageTest, ReadsTheCompilersMessages) {
  const auto first = ParseMemoryShortage(
      "PJRT_Compile: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the "
      "total memory required for HLO temporaries (351.58G) exceeds available "
      "HBM (15.48G). HLO module: byol_step.");
  ASSERT_TRUE(first.has_value());
  EXPECT_DOUBLE_EQ(first->needed_bytes, 351.58 * kGiB);
  EXPECT_DOUBLE_EQ(first->available_bytes, 15.48 * kGiB);
  const auto second = ParseMemoryShortage(
      "Ran out of memory in memory space hbm. Used 20.50G of 15.98G hbm. "
      "Exceeded hbm capacity by 4.52G.");
  ASSERT_TRUE(second.has_value());
  EXPECT_DOUBLE_EQ(second->needed_bytes, 20.5 * kGiB);
  EXPECT_FALSE(ParseMemoryShortage("Used too much").has_value());
  EXPECT_FALSE(ParseMemoryShortage("").has_value());
}

TEST(MemoryShortageTest, SaysByHowMuchAndWhatToDo) {
  const absl::Status status = ExplainShortage(
      absl::ResourceExhaustedError("Used 20.50G of 15.50G hbm."), "v3:2x2");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(
      std::string(status.message()),
      ::testing::StartsWith(
          "the step does not fit v3:2x2: it needs 20.50 GiB where a v3 core "
          "has 15.50 GiB for it (of 16.0 GiB in all), 5.00 GiB too much; try a "
          "smaller batch (--batch), --set=execution.rematerialize=true, or "
          "more devices (the compiler: Used"));
  // Other failures keep their words.
  const absl::Status other = absl::InternalError("no");
  EXPECT_EQ(ExplainShortage(other, "v3:2x2"), other);
  const pjrt::CompiledMemory big{.argument_bytes = 30'000'000'000,
                                 .output_bytes = 1'000'000'000,
                                 .alias_bytes = 1'000'000'000,
                                 .temp_bytes = 20'000'000'000};
  EXPECT_EQ(CheckFits(big, "a100:8").code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(CheckFits(big, "h100:8").ok());
}

// A device with `available` bytes, where images cost `each` and, from `knee`
// on, half of it: compilers trade time for memory when it gets tight.
struct FakeDevice {
  double fixed = 1e9;
  double each = 80e6;
  double available = 16e9;
  int knee = 1 << 30;
  int compilations = 0;

  absl::StatusOr<FitTrial> operator()(int images) {
    ++compilations;
    const double needed = fixed + each * std::min(images, knee) +
                          each / 2 * std::max(images - knee, 0);
    return FitTrial{needed, available, needed <= available};
  }
};

TEST(BatchPlannerTest, FindsTheLargestWithFewCompilations) {
  std::map<int, FitTrial> trials;
  FakeDevice line;
  EXPECT_EQ(LargestFitting(8, std::ref(line), trials).value(), 184);
  // Two for the line, one that fits and one that does not.
  EXPECT_LE(line.compilations, 4);

  trials.clear();
  FakeDevice bent{.knee = 100};
  EXPECT_EQ(LargestFitting(8, std::ref(bent), trials).value(), 272);
  EXPECT_LE(bent.compilations, 8);
  EXPECT_TRUE(trials.at(272).fits);
  EXPECT_FALSE(trials.at(280).fits);

  trials.clear();
  FakeDevice full{.fixed = 15.5e9};
  EXPECT_EQ(LargestFitting(8, std::ref(full), trials).value(), 0);
  trials.clear();
  FakeDevice nearly{.fixed = 15e9};
  EXPECT_EQ(LargestFitting(8, std::ref(nearly), trials).value(), 8);

  trials.clear();
  const auto broken = [](int) -> absl::StatusOr<FitTrial> {
    return absl::InternalError("the compiler crashed");
  };
  EXPECT_EQ(LargestFitting(8, broken, trials).status().code(),
            absl::StatusCode::kInternal);
}

std::vector<ScalingRow> Rows() {
  ScalingRow fits{.topology = "v3:2x2",
                  .devices = 8,
                  .batch = 256,
                  .batch_per_device = 32,
                  .memory_bytes = 3 * kGiB,
                  .compute_seconds = 0.110,
                  .collective_seconds = 0.010,
                  .collective_bytes = 1e8};
  ScalingRow other = fits;
  other.topology = "v3:4x4";
  other.devices = 32;
  other.batch = 1024;
  other.compiled_for = "v3:2x2";
  const ScalingRow fails{.topology = "v3:2x2",
                         .devices = 8,
                         .batch = 32768,
                         .batch_per_device = 4096,
                         .problem = "it needs \"much\", GiB"};
  return {fits, other, fails};
}

TEST(ScalingTableTest, TextCsvAndPlot) {
  const std::string text = ScalingText(Rows());
  EXPECT_THAT(text, ::testing::HasSubstr(
                        "  3.00 GiB  110.0 ms     10.0 ms  120.0 ms       2133 "
                        "   8 %  v3:2x2"));
  EXPECT_THAT(text, ::testing::HasSubstr("4096 it needs \"much\", GiB"));
  const std::string csv = ScalingCsv(Rows());
  EXPECT_THAT(csv, ::testing::HasSubstr(
                       "\nv3:4x4,32,1024,32,3.22123e+09,0.11,,0.01,1e+08,0.12,"
                       "8533.33,0.0833333,v3:2x2,\n"));
  EXPECT_THAT(csv, ::testing::HasSubstr("\nv3:2x2,8,32768,4096,,,,,,,,,v3:2x2,"
                                        "\"it needs \"\"much\"\", GiB\"\n"));
  const std::string svg = ScalingSvg(Rows());
  EXPECT_THAT(svg, ::testing::StartsWith("<svg xmlns="));
  EXPECT_THAT(svg, ::testing::HasSubstr("v3:4x4, batch 1024: 8533 images/s"));
  EXPECT_THAT(svg, ::testing::Not(::testing::HasSubstr("nan")));
  EXPECT_THAT(ScalingSvg({}), ::testing::HasSubstr("no point fits"));
}

}  // namespace
}  // namespace xla_byol
