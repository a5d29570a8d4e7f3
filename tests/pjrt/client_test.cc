#include "xla_byol/pjrt/client.h"

#include <cstring>
#include <numeric>

#include "tests/pjrt/testing.h"

namespace xla_byol::pjrt {
namespace {

using ::testing::ElementsAre;

TEST(ClientTest, HasTheDevicesItWasAskedFor) {
  Client client = CpuClient(3);
  ASSERT_EQ(client.devices().size(), 3u);
  EXPECT_EQ(client.global_device_count(), 3);
  EXPECT_EQ(client.process_index(), 0);
  for (int d = 0; d < 3; ++d) {
    EXPECT_EQ(client.devices()[d].description().id, d);
    EXPECT_EQ(client.devices()[d].description().kind, "cpu");
  }
}

TEST(ClientTest, RefusesBadOptions) {
  const Plugin* plugin = Get(Plugin::Load(Platform::kCpu));
  EXPECT_ERROR(Client::Create(*plugin, {.cpu_device_count = 0}).status(),
               kInvalidArgument, "cpu_device_count is 0");
}

// Both kinds of transfer, for each type: bytes must come back as they went.
TEST(ClientTest, EveryElementTypeRoundTrips) {
  Client client = CpuClient(2);
  for (const char* name : {"pred", "s8", "s16", "s32", "s64", "u8", "u16",
                           "u32", "u64", "f16", "f32", "f64", "bf16"}) {
    SCOPED_TRACE(name);
    const ArraySpec spec{Get(ElementTypeFromName(name)), {2, 3, 5}};
    std::vector<std::byte> sent(spec.byte_size());
    for (size_t i = 0; i < sent.size(); ++i) {
      // pred allows 0 and 1 only.
      sent[i] = std::byte(name == std::string("pred") ? i % 2 : i * 7 + 1);
    }
    const Device& device = client.devices()[1];
    Buffer copied = Get(client.CopyFromHost(sent, spec, device));
    Transfer transfer = Get(client.StartTransfer(sent, spec, device));
    EXPECT_OK(transfer.host_free.Await());
    for (const Buffer* buffer : {&copied, &transfer.buffer}) {
      EXPECT_EQ(buffer->spec(), spec);
      std::vector<std::byte> received(sent.size());
      EXPECT_OK(Get(buffer->CopyToHost(absl::MakeSpan(received))).Await());
      EXPECT_EQ(received, sent);
    }
  }
}

TEST(ClientTest, ScalarsAndEmptyArrays) {
  Client client = CpuClient(1);
  Buffer scalar =
      Get(client.CopyFromHost<float>({2.5f}, {}, client.devices()[0]));
  EXPECT_EQ(scalar.spec().ToString(), "f32[]");
  EXPECT_THAT(Get(scalar.ToVector<float>()), ElementsAre(2.5f));
  Buffer empty =
      Get(client.CopyFromHost<float>({}, {0, 4}, client.devices()[0]));
  EXPECT_THAT(Get(empty.ToVector<float>()), ElementsAre());
}

TEST(ClientTest, HostMemoryIsFreeAfterACopy) {
  Client client = CpuClient(1);
  std::vector<float> values(1 << 20);
  std::iota(values.begin(), values.end(), 0.f);
  const std::vector<float> expected = values;
  Buffer buffer = Get(client.CopyFromHost<float>(
      values, {static_cast<int64_t>(values.size())}, client.devices()[0]));
  std::memset(values.data(), 0xff, values.size() * sizeof(float));
  EXPECT_EQ(Get(buffer.ToVector<float>()), expected);
}

TEST(ClientTest, SizesThatDoNotFit) {
  Client client = CpuClient(1);
  EXPECT_ERROR(
      client.CopyFromHost<float>({1, 2}, {3}, client.devices()[0]).status(),
      kInvalidArgument, "f32[3] takes 12 bytes, got 8");
  Buffer buffer =
      Get(client.CopyFromHost<float>({1, 2}, {2}, client.devices()[0]));
  std::vector<std::byte> room(7);
  EXPECT_ERROR(buffer.CopyToHost(absl::MakeSpan(room)).status(),
               kInvalidArgument,
               "the destination has 7 bytes, the buffer f32[2] has 8");
  EXPECT_ERROR(buffer.ToVector<double>().status(), kInvalidArgument,
               "elements of 8 bytes asked of a buffer f32[2]");
}

TEST(ClientTest, ProgramThatDoesNotParse) {
  Client client = CpuClient(1);
  EXPECT_ERROR(client.Compile("module @oops { func.func @main(", {}).status(),
               kInvalidArgument,
               "the program beginning 'module @oops { func.func @main(' does "
               "not compile: PJRT_Client_Compile: -:1:31: error: ");
}

TEST(ClientTest, MoreReplicasThanDevices) {
  Client client = CpuClient(2);
  EXPECT_ERROR(
      client.Compile(AllReduceProgram(4, 8), {.num_replicas = 4}).status(),
      kInvalidArgument, "4");
}

TEST(ClientTest, UnknownCompilerFlag) {
  Client client = CpuClient(1);
  EXPECT_ERROR(client
                   .Compile(AllReduceProgram(1, 8),
                            {.flags = {{"xla_no_such_flag", true}}})
                   .status(),
               kInvalidArgument, "xla_no_such_flag");
}

}  // namespace
}  // namespace xla_byol::pjrt
