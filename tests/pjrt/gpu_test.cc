// Compiles for GPUs on a machine that has none.

#include "tests/pjrt/testing.h"
#include "xla_byol/pjrt/gpu_targets.h"
#include "xla_byol/pjrt/topology.h"

namespace xla_byol::pjrt {
namespace {

const Plugin& Gpu() { return *Get(Plugin::Load(Platform::kGpu)); }

TEST(GpuTest, EveryTargetCompilesAnAllReduce) {
  for (const GpuTarget& target : GpuTargets()) {
    SCOPED_TRACE(target.name);
    Topology topology =
        Get(Topology::Create(Gpu(), absl::StrCat(target.name, ":2")));
    ASSERT_EQ(topology.devices().size(), 2u);
    EXPECT_EQ(topology.devices()[0].kind, target.device_name);
    Executable executable =
        Get(topology.Compile(AllReduceProgram(2, 1024), {.num_replicas = 2}));
    const CompiledMemory memory = Get(executable.Memory());
    EXPECT_EQ(memory.argument_bytes, 2 * 4096);
    EXPECT_EQ(memory.alias_bytes, 4096);
    EXPECT_EQ(Get(executable.ReadSignature()).ToString(),
              "(f32[1024] donated, f32[1024]) -> (f32[1024], f32[1024])");
  }
}

TEST(GpuTest, TopologyThatDoesNotExist) {
  EXPECT_ERROR(Topology::Create(Gpu(), "a10:2").status(), kInvalidArgument,
               "no GPU topology 'a10:2': known GPUs are a100, a100-80gb, h100; "
               "did you mean a100:2?");
  for (const char* name : {"a100", "a100:0", "a100:x", "a100:1:1"}) {
    EXPECT_ERROR(Topology::Create(Gpu(), name).status(), kInvalidArgument,
                 absl::StrCat("GPU topology '", name,
                              "' needs a number of devices: a100:8"));
  }
}

TEST(GpuTest, ClientWithoutAGpuFailsAtOnce) {
  if (HardwarePresent(Platform::kGpu)) GTEST_SKIP() << "there is a GPU";
  EXPECT_ERROR(Client::Create(Gpu()).status(), kFailedPrecondition,
               "this machine has no gpu device");
}

}  // namespace
}  // namespace xla_byol::pjrt
