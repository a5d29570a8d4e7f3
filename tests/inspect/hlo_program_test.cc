#include "xla_byol/inspect/hlo_program.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_byol/inspect/program_cost.h"
#include "xla_byol/inspect/program_flops.h"

namespace xla_byol {
namespace {

constexpr char kText[] = R"(HloModule step

fused {
  %p0 = bf16[2,8,8,4]{3,2,1,0} parameter(0)
  %p1 = bf16[3,3,4,16]{3,2,1,0} parameter(1)
  %conv = bf16[2,8,8,16]{3,2,1,0} convolution(%p0, %p1), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, op_name="online/resnet/stage0/block0/conv1"
  ROOT %relu = bf16[2,8,8,16]{3,2,1,0} maximum(%conv, %conv), op_name="online/resnet/stage0/block0"
}

body {
  %state = (s32[], f32[16,16]{1,0}) parameter(0)
  %m = f32[16,16]{1,0} get-tuple-element(%state), index=1
  %mm = f32[16,16]{1,0} dot(%m, %m), lhs_contracting_dims={1}, op_name="predictor", estimated_cycles=100
  ROOT %next = (s32[], f32[16,16]{1,0}) tuple(%m, %mm)
}

condition {
  %s = (s32[], f32[16,16]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %n = s32[] constant(7)
  ROOT %more = pred[] compare(%i, %n)
}

ENTRY main {
  %x = bf16[2,8,8,4]{3,2,1,0:T(8,128)(2,1)} parameter(0), op_name="view1"
  %w = bf16[3,3,4,16]{3,2,1,0:T(8,128)(2,1)S(1)} parameter(1)
  %c = bf16[2,8,8,16]{3,2,1,0:T(8,128)(2,1)} fusion(%x, %w), calls=fused, op_name="online/resnet/stage0/block0", estimated_cycles=940
  %t = (s32[], f32[16,16]{1,0}) tuple(%c, %c)
  %loop = (s32[], f32[16,16]{1,0}) while(%t), calls=body,condition
  %g = f32[1000]{0:T(1024)} convert(%c), op_name="gradient/online/projector/dense1", estimated_cycles=60
  %ar = (f32[1000]{0:T(1024)}, f32[24]{0:T(256)}) all-reduce(%g, %g), calls=condition, replicas=1x8, op_name="optimizer", rings={4 2}
  ROOT %out = (f32[1000]{0}) tuple(%ar)
}
)";

HloProgram Parsed() { return ParseHloProgram(kText).value(); }

TEST(HloProgramTest, ReadsWhatHloTextWrites) {
  const HloProgram program = Parsed();
  EXPECT_EQ(program.name, "step");
  ASSERT_EQ(program.computations.size(), 4u);
  EXPECT_EQ(program.main().name, "main");
  const auto& main = program.main().instructions;
  ASSERT_EQ(main.size(), 8u);
  EXPECT_EQ(main[0].op_name, "view1");
  EXPECT_EQ(main[0].literal, "0");
  EXPECT_EQ(main[1].results[0].memory_space, 1);
  EXPECT_EQ(main[2].opcode, "fusion");
  EXPECT_EQ(main[2].operands, (std::vector<int>{0, 1}));
  EXPECT_EQ(main[2].calls, (std::vector<int>{0}));
  EXPECT_EQ(main[2].estimated_cycles, 940);
  EXPECT_EQ(main[4].calls, (std::vector<int>{1, 2}));
  ASSERT_EQ(main[6].results.size(), 2u);
  EXPECT_EQ(main[6].replicas_per_group, 8);
  EXPECT_EQ(main[6].rings, "4 2");
  EXPECT_TRUE(main[7].root);
  const HloInstruction& conv = program.computations[0].instructions[2];
  ASSERT_EQ(conv.window.size(), 2u);
  EXPECT_EQ(conv.window[1].size, 3);
  EXPECT_EQ(conv.window[0].pad_low, 1);
  EXPECT_EQ(conv.dim_labels, "b01f_01io->b01f");
}

TEST(HloProgramTest, SizesWithAndWithoutTiles) {
  const HloArray x = Parsed().main().instructions[0].results[0];
  EXPECT_EQ(x.ToString(), "bf16[2,8,8,4]");
  EXPECT_EQ(x.bytes(), 2 * 8 * 8 * 4 * 2);
  // The minor dimension of 4 fills a tile's 128.
  EXPECT_EQ(x.padded_bytes(), 2 * 8 * 8 * 128 * 2);
}

TEST(HloProgramTest, WhatIsNoProgramIsRefusedWithItsLine) {
  EXPECT_THAT(std::string(ParseHloProgram("module {}").status().message()),
              ::testing::HasSubstr("must begin with 'HloModule'"));
  EXPECT_THAT(
      std::string(ParseHloProgram("HloModule a\n\nENTRY m {\n  nonsense\n}\n")
                      .status()
                      .message()),
      ::testing::HasSubstr("line 4 of the compiled program: '  nonsense'"));
  EXPECT_THAT(std::string(ParseHloProgram("HloModule a\n").status().message()),
              ::testing::HasSubstr("no ENTRY"));
  // Cut anywhere, it is an error or a program, never a crash.
  const std::string whole = kText;
  for (size_t size = 0; size < whole.size(); size += 7) {
    const auto parsed = ParseHloProgram(whole.substr(0, size));
    if (parsed.ok()) AnalyzeProgram(*parsed);
  }
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
  const ProgramCost cost = AnalyzeProgram(Parsed());
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

TEST(ProgramCostTest, CollectivesAndBuffers) {
  const ProgramCost cost = AnalyzeProgram(Parsed());
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
