// Compiles for TPUs on a machine that has none.

#include "tests/pjrt/testing.h"
#include "xla_byol/pjrt/hlo_text.h"
#include "xla_byol/pjrt/topology.h"

namespace xla_byol::pjrt {
namespace {

const Plugin& Tpu() { return *Get(Plugin::Load(Platform::kTpu)); }

TEST(TpuTest, TopologiesHaveTheirDevices) {
  const struct {
    const char* name;
    size_t devices;
    int processes;
    const char* kind;
  } kTopologies[] = {
      {"v2:2x2", 8, 1, "TPU v2"},        {"v3:2x2", 8, 1, "TPU v3"},
      {"v3:4x4", 32, 4, "TPU v3"},       {"v3:8x8", 128, 16, "TPU v3"},
      {"v3:16x16", 512, 64, "TPU v3"},   {"v3:32x32", 2048, 256, "TPU v3"},
      {"v4:2x2x1", 4, 1, "TPU v4"},      {"v5p:2x2x1", 4, 1, "TPU v5"},
      {"v5e:4x4", 16, 4, "TPU v5 lite"}, {"v6e:4x4", 16, 4, "TPU v6 lite"},
  };
  for (const auto& expected : kTopologies) {
    SCOPED_TRACE(expected.name);
    Topology topology = Get(Topology::Create(Tpu(), expected.name));
    ASSERT_EQ(topology.devices().size(), expected.devices);
    EXPECT_EQ(topology.devices().back().process_index, expected.processes - 1);
    EXPECT_EQ(topology.devices().front().kind, expected.kind);
  }
}

TEST(TpuTest, AllReduceOver128ReplicasDonates) {
  Topology topology = Get(Topology::Create(Tpu(), "v3:8x8"));
  Executable executable =
      Get(topology.Compile(AllReduceProgram(128, 1024), {.num_replicas = 128}));
  const CompiledMemory memory = Get(executable.Memory());
  EXPECT_EQ(memory.argument_bytes, 2 * 4096);
  // The first argument's memory is the first result's.
  EXPECT_EQ(memory.alias_bytes, 4096);
  EXPECT_GT(memory.code_bytes, 0);
  const NamedValues cost = Get(executable.Cost());
  EXPECT_GT(std::get<float>(cost.at("flops")), 0);
  EXPECT_EQ(Get(executable.ReadSignature()).ToString(),
            "(f32[1024] donated, f32[1024]) -> (f32[1024], f32[1024])");
  const std::string text = Get(HloText(Get(executable.Optimized())));
  EXPECT_THAT(text, ::testing::HasSubstr(" all-reduce("));
  // What costs follow from: tiles, replicas, the rings, expected cycles.
  EXPECT_THAT(text, ::testing::ContainsRegex("f32\\[1024\\]\\{0:T\\(1024\\)"));
  EXPECT_THAT(text, ::testing::HasSubstr("replicas=1x128, "));
  EXPECT_THAT(text, ::testing::HasSubstr("rings={16 8}"));
  EXPECT_THAT(text, ::testing::ContainsRegex("estimated_cycles=[1-9]"));
  EXPECT_GT(Get(executable.Serialize()).size(), 1000u);
}

TEST(TpuTest, TopologyThatDoesNotExist) {
  for (const char* name : {"v3:3x5", "v99:2x2", "potato"}) {
    SCOPED_TRACE(name);
    const absl::Status status = Topology::Create(Tpu(), name).status();
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(std::string(status.message()),
                ::testing::StartsWith(
                    absl::StrCat("no tpu topology '", name,
                                 "': use GENERATION:CHIPS such as v3:8x8")));
  }
  EXPECT_ERROR(Topology::Create(Tpu(), "").status(), kInvalidArgument,
               "no topology given: use GENERATION:CHIPS");
}

TEST(TpuTest, ProgramThatDoesNotParse) {
  Topology topology = Get(Topology::Create(Tpu(), "v3:2x2"));
  EXPECT_ERROR(topology.Compile("module { nonsense }", {}).status(),
               kInvalidArgument,
               "the program beginning 'module { nonsense }' does not compile");
}

TEST(TpuTest, ClientWithoutATpuFailsAtOnce) {
  if (HardwarePresent(Platform::kTpu)) GTEST_SKIP() << "there is a TPU";
  EXPECT_ERROR(Client::Create(Tpu()).status(), kFailedPrecondition,
               "this machine has no tpu device");
}

}  // namespace
}  // namespace xla_byol::pjrt
