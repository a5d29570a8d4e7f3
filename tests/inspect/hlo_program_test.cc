#include "xla_byol/inspect/hlo_program.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/inspect/small_module.h"
#include "xla_byol/inspect/program_cost.h"
#include "xla_byol/inspect/program_flops.h"
#include "xla_byol/inspect/scope_place.h"

namespace xla_byol {
namespace {

using ::testing::HasSubstr;

HloProgram Read() { return ReadHloProgram(SmallProgram()).value(); }

TEST(HloProgramTest, TakesWhatCostsFollowFrom) {
  const HloProgram program = Read();
  EXPECT_EQ(program.name, "step");
  ASSERT_EQ(program.computations.size(), 4u);
  EXPECT_EQ(program.main().name, "main");
  // In the schedule's order, not the list's.
  const auto& main = program.main().instructions;
  ASSERT_EQ(main.size(), 8u);
  EXPECT_EQ(main[0].op_name, "view1");
  EXPECT_EQ(main[1].results[0].memory_space, 1);
  EXPECT_EQ(main[2].opcode, "fusion");
  EXPECT_EQ(main[2].operands, (std::vector<int>{0, 1}));
  EXPECT_EQ(main[2].calls, (std::vector<int>{0}));
  EXPECT_EQ(main[2].estimated_cycles, 940);
  EXPECT_EQ(main[4].calls, (std::vector<int>{1, 2}));
  ASSERT_EQ(main[6].results.size(), 2u);
  EXPECT_EQ(main[6].replicas_per_group, 8);
  EXPECT_EQ(main[6].rings, "4 2");
  EXPECT_EQ(main[7].name, "out");
  EXPECT_EQ(program.computations[2].instructions[2].constant, 7);
  const HloInstruction& conv = program.computations[0].instructions[2];
  ASSERT_EQ(conv.window.size(), 2u);
  EXPECT_EQ(conv.window[1].size, 3);
  EXPECT_EQ(conv.window[0].pad_low, 1);
  EXPECT_EQ(conv.dim_labels, "b01f_01io->b01f");
}

TEST(HloProgramTest, SizesWithAndWithoutTiles) {
  const HloArray x = Read().main().instructions[0].results[0];
  EXPECT_EQ(x.ToString(), "bf16[2,8,8,4]");
  EXPECT_EQ(x.bytes(), 2 * 8 * 8 * 4 * 2);
  // The minor dimension of 4 fills a tile's 128.
  EXPECT_EQ(x.padded_bytes(), 2 * 8 * 8 * 128 * 2);
}

TEST(HloProgramTest, WhatIsNoModuleIsRefused) {
  const auto refused = [](const pjrt::OptimizedProgram& program) {
    return std::string(ReadHloProgram(program).status().message());
  };
  EXPECT_THAT(refused({"mlir", "module {}"}), HasSubstr("as text"));
  EXPECT_THAT(refused({"hlo", "\xff\xff"}),
              HasSubstr("cannot be read from 2 bytes of format 'hlo'"));
  EXPECT_THAT(refused({"hlo", ""}), HasSubstr("no entry computation ''"));
  // Cut anywhere, it is an error or a program, never a crash.
  const pjrt::OptimizedProgram whole = SmallProgram();
  int read = 0;
  for (size_t size = 0; size <= whole.code.size(); ++size) {
    const auto program = ReadHloProgram({"hlo", whole.code.substr(0, size)});
    if (program.ok()) AnalyzeProgram(*program), ++read;
  }
  EXPECT_GE(read, 1);
}

TEST(HloProgramTest, UnknownOperandsAndCallsAreLeftOut) {
  pjrt::HloModuleProto module = SmallModule();
  auto* fusion = module.mutable_computations(3)->mutable_instructions(3);
  ASSERT_EQ(fusion->name(), "c");
  fusion->add_operand_ids(999);
  fusion->add_called_computation_ids(999);
  const HloProgram program =
      ReadHloProgram({"hlo", module.SerializeAsString()}).value();
  EXPECT_EQ(program.main().instructions[2].operands, (std::vector<int>{0, 1}));
  EXPECT_EQ(program.main().instructions[2].calls, (std::vector<int>{0}));
}

TEST(ProgramCostTest, ProductsLeaveOutPaddingAndHoles) {
  // 3 wide, padded by 1: the two ends meet one element less.
  EXPECT_EQ(WindowProducts({.size = 3, .pad_low = 1, .pad_high = 1}, 8, 8),
            3 * 8 - 2);
  EXPECT_EQ(WindowProducts({.size = 1}, 8, 8), 8);
  // Dilated by 2, every second place is a hole.
  EXPECT_EQ(WindowProducts({.size = 2, .lhs_dilate = 2}, 4, 6), 6);
  EXPECT_EQ(WindowProducts({.size = 3, .stride = 2, .pad_high = 1}, 8, 4),
            3 * 4 - 1);
}

TEST(ProgramCostTest, CountsByScopeThroughFusionsAndLoops) {
  const ProgramCost cost = AnalyzeProgram(Read());
  // 2 images x (22 x 22 pairs) x 4 x 16 products.
  const double conv = 2.0 * 2 * 22 * 22 * 4 * 16;
  const double relu = 2 * 8 * 8 * 16;
  EXPECT_EQ(cost.scopes.at("online/resnet/stage0/block0/conv1").flops, conv);
  EXPECT_EQ(cost.scopes.at("online/resnet/stage0/block0").flops, relu);
  // A fusion's cycles are shared as its operations are.
  EXPECT_DOUBLE_EQ(cost.scopes.at("online/resnet/stage0/block0").cycles,
                   940 * relu / (conv + relu));
  // Seven rounds of the loop.
  EXPECT_EQ(cost.scopes.at("predictor").flops, 7 * 2.0 * 16 * 16 * 16);
  EXPECT_EQ(cost.scopes.at("predictor").cycles, 700);
  EXPECT_EQ(cost.scopes.at("gradient/online/projector/dense1").cycles, 60);
  EXPECT_DOUBLE_EQ(cost.total.cycles, 940 + 700 + 60);
  // From the large memory only: x and c with their padding, not w.
  EXPECT_DOUBLE_EQ(cost.scopes.at("online/resnet/stage0/block0/conv1").bytes +
                       cost.scopes.at("online/resnet/stage0/block0").bytes,
                   2 * 2 * 8 * 8 * 128 * 2);
}

TEST(ProgramCostTest, InstructionsAddUpToTheTotal) {
  const ProgramCost cost = AnalyzeProgram(Read());
  ASSERT_EQ(cost.instructions.size(), 3u);
  EXPECT_EQ(cost.instructions[0].name, "c");
  EXPECT_EQ(cost.instructions[0].opcode, "fusion");
  EXPECT_EQ(cost.instructions[1].name, "mm");
  EXPECT_EQ(cost.instructions[1].scope, "predictor");
  EXPECT_EQ(cost.instructions[1].times, 7);
  EXPECT_EQ(cost.instructions[1].cost.cycles, 700);
  EXPECT_EQ(cost.instructions[2].name, "g");
  Cost sum;
  for (const InstructionCost& one : cost.instructions) sum.Add(one.cost);
  EXPECT_DOUBLE_EQ(sum.flops, cost.total.flops);
  EXPECT_DOUBLE_EQ(sum.bytes, cost.total.bytes);
  EXPECT_DOUBLE_EQ(sum.cycles, cost.total.cycles);
  EXPECT_EQ(sum.instructions, cost.total.instructions);
}

TEST(ProgramCostTest, CollectivesAndBuffers) {
  const ProgramCost cost = AnalyzeProgram(Read());
  ASSERT_EQ(cost.collectives.size(), 1u);
  EXPECT_EQ(cost.collectives[0].kind, "all-reduce");
  EXPECT_EQ(cost.collectives[0].bytes, 4 * 1024);
  EXPECT_EQ(cost.collectives[0].replicas, 8);
  ASSERT_GE(cost.buffers.size(), 2u);
  EXPECT_EQ(cost.buffers[0].name, "c");
  EXPECT_TRUE(cost.buffers[0].at_peak);
  // c is still read when g is made.
  EXPECT_EQ(cost.peak_bytes, 2 * 8 * 8 * 128 * 2 + 4096);
  EXPECT_EQ(CollectiveKind("all-gather-start"), "all-gather");
  EXPECT_EQ(CollectiveKind("all-gather-done"), "");
}

TEST(ProgramCostTest, ScopesBelongToPartsAndPasses) {
  const struct {
    const char* scope;
    const char* part;
    const char* pass;
  } kCases[] = {
      {"online/resnet/stem/norm", "stem", "forward"},
      {"target/resnet/stage2/block0/conv1", "stage2", "target"},
      {"gradient/online/resnet/stage3/block1/conv2", "stage3", "gradient"},
      {"batch_stats/target/resnet/stage1/block0/norm1/mean", "stage1",
       "target"},
      {"online/resnet", "pooling", "forward"},
      {"gradient/online", "pooling", "gradient"},
      {"online/projector/dense1", "projector", "forward"},
      {"predictor", "predictor", "forward"},
      {"online/predictor/dense", "predictor", "forward"},
      {"gradient/online/probe", "probe", "gradient"},
      {"optimizer", "optimizer", "update"},
      {"momentum/online/projector/dense1/w", "optimizer", "update"},
      {"target_ema", "target_ema", "update"},
      {"augment", "augmentation", "forward"},
      {"draws1", "augmentation", "forward"},
      {"recompute/online/resnet/stage1/block0/conv2", "stage1", "recomputed"},
      {"recompute/online/resnet/stem/norm", "stem", "recomputed"},
      {"recompute/online/resnet", "pooling", "recomputed"},
      {"gradient/recompute/online/resnet/stage2/block1", "stage2",
       "recomputed"},
      {"recompute/", "loss and rest", "recomputed"},
      {"gradient/", "loss and rest", "gradient"},
      {"", "loss and rest", "forward"},
  };
  for (const auto& expected : kCases) {
    SCOPED_TRACE(expected.scope);
    EXPECT_EQ(PlaceOf(expected.scope).part, expected.part);
    EXPECT_EQ(PlaceOf(expected.scope).pass, expected.pass);
  }
}

}  // namespace
}  // namespace xla_byol
