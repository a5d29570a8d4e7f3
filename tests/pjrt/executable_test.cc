#include "xla_byol/pjrt/executable.h"

#include "tests/pjrt/testing.h"
#include "xla_byol/pjrt/hlo_text.h"

namespace xla_byol::pjrt {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kDevices = 2;

class ExecutableTest : public ::testing::Test {
 protected:
  Client client_ = CpuClient(kDevices);
  LoadedExecutable loaded_ = Get(client_.Compile(
      AllReduceProgram(kDevices, 1024), {.num_replicas = kDevices}));
  const Executable& executable_ = loaded_.executable();
};

TEST_F(ExecutableTest, MemoryShowsTheDonation) {
  const CompiledMemory memory = Get(executable_.Memory());
  EXPECT_EQ(memory.argument_bytes, 2 * 4096);
  EXPECT_EQ(memory.alias_bytes, 4096);
  EXPECT_GE(memory.output_bytes, 2 * 4096);
}

TEST_F(ExecutableTest, CostCountsTheMultiplications) {
  const NamedValues cost = Get(executable_.Cost());
  EXPECT_GE(std::get<float>(cost.at("flops")), 1024);
  EXPECT_GE(std::get<float>(cost.at("bytes accessed")), 4 * 4096);
}

TEST_F(ExecutableTest, TextShowsTheProgram) {
  const std::string text = Get(HloText(Get(executable_.Optimized())));
  EXPECT_EQ(Get(executable_.Name()), "step");
  EXPECT_THAT(text, StartsWith("HloModule step"));
  for (const char* part : {"\nENTRY ", " all-reduce(", "f32[1024]{0}",
                           " parameter(1)", "  ROOT "}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST_F(ExecutableTest, AnyTextThatIsNoProgramIsAnError) {
  EXPECT_ERROR(HloText({"hlo", "\xff\xff"}).status(), kInternal,
               "cannot be read from 2 bytes of format 'hlo'");
  EXPECT_ERROR(Signature::FromOptimizedProgram("new", "x").status(), kInternal,
               "cannot be read from 1 bytes of format 'new'");
}

TEST_F(ExecutableTest, SerializesAndLoads) {
  const std::string bytes = Get(executable_.Serialize());
  LoadedExecutable copy = Get(client_.Deserialize(bytes));
  EXPECT_EQ(copy.signature().ToString(), loaded_.signature().ToString());
  std::vector<Buffer> arguments;
  for (int i = 0; i < 2 * kDevices; ++i) {
    arguments.push_back(Get(client_.CopyFromHost<float>(
        std::vector<float>(1024, 3), {1024}, client_.devices()[i / 2])));
  }
  std::vector<Buffer> results = Get(copy.Execute(Pointers(arguments)));
  EXPECT_THAT(Get(results[0].ToVector<float>()), Each(18));
}

TEST_F(ExecutableTest, BytesThatAreNoExecutable) {
  EXPECT_FALSE(client_.Deserialize("these are not the bytes").ok());
  std::string bytes = Get(executable_.Serialize());
  bytes.resize(bytes.size() / 2);
  EXPECT_FALSE(client_.Deserialize(bytes).ok());
}

TEST(CompileOptionsTest, ContradictionsAreRefused) {
  EXPECT_ERROR((CompileOptions{.num_replicas = 0}).Serialize().status(),
               kInvalidArgument, "num_replicas is 0");
  EXPECT_ERROR((CompileOptions{.num_replicas = 2, .device_ids = {1}})
                   .Serialize()
                   .status(),
               kInvalidArgument, "1 device ids for 2 replicas");
}

TEST(CompileOptionsTest, DeviceIdsChooseTheDevice) {
  Client client = CpuClient(3);
  LoadedExecutable executable =
      Get(client.Compile(AllReduceProgram(1, 4), {.device_ids = {2}}));
  ASSERT_EQ(executable.devices().size(), 1u);
  EXPECT_EQ(executable.devices()[0], client.devices()[2].handle());
}

}  // namespace
}  // namespace xla_byol::pjrt
