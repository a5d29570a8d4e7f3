#include "xla_byol/pjrt/executable.h"

#include <cmath>

#include "tests/pjrt/testing.h"
#include "xla_byol/pjrt/hlo_text.h"

namespace xla_byol::pjrt {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
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

// The kinds of code that the CPU plugin compiles by different means:
// convolution, matrix product, fused loops, a while loop and a sort.
TEST_F(ExecutableTest, LoadedCodeOfEveryKindComputesTheSame) {
  LoadedExecutable compiled = Get(client_.Compile(R"(module {
    func.func @main(%x: tensor<8x16x16x3xf32>, %k: tensor<3x3x3x32xf32>)
        -> (tensor<32x32xf32>, tensor<32xf32>) {
      %c = stablehlo.convolution(%x, %k)
          dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
          window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
          {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : (tensor<8x16x16x3xf32>, tensor<3x3x3x32xf32>) -> tensor<8x16x16x32xf32>
      %t = stablehlo.tanh %c : tensor<8x16x16x32xf32>
      %z = stablehlo.reshape %t : (tensor<8x16x16x32xf32>) -> tensor<2048x32xf32>
      %d = stablehlo.dot_general %z, %z, contracting_dims = [0] x [0]
          : (tensor<2048x32xf32>, tensor<2048x32xf32>) -> tensor<32x32xf32>
      %i0 = stablehlo.constant dense<0> : tensor<i32>
      %w:2 = stablehlo.while(%i = %i0, %m = %d) : tensor<i32>, tensor<32x32xf32>
        cond {
          %n = stablehlo.constant dense<4> : tensor<i32>
          %lt = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %lt : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %j = stablehlo.add %i, %one : tensor<i32>
          %s = stablehlo.constant dense<1.0e-4> : tensor<32x32xf32>
          %mm = stablehlo.dot_general %m, %d, contracting_dims = [1] x [0]
              : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
          %r = stablehlo.multiply %mm, %s : tensor<32x32xf32>
          stablehlo.return %j, %r : tensor<i32>, tensor<32x32xf32>
        }
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %sum = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
      %o = "stablehlo.sort"(%sum) ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %lt = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %lt : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<32xf32>) -> tensor<32xf32>
      return %w#1, %o : tensor<32x32xf32>, tensor<32xf32>
    }})",
                                                  {}));
  LoadedExecutable loaded =
      Get(client_.Deserialize(Get(compiled.executable().Serialize())));
  std::vector<float> image(8 * 16 * 16 * 3), kernel(3 * 3 * 3 * 32);
  for (size_t i = 0; i < image.size(); ++i) image[i] = std::sin(0.7f * i);
  for (size_t i = 0; i < kernel.size(); ++i) kernel[i] = std::cos(1.3f * i);
  const Device& device = client_.devices()[0];
  Buffer x = Get(client_.CopyFromHost<float>(image, {8, 16, 16, 3}, device));
  Buffer k = Get(client_.CopyFromHost<float>(kernel, {3, 3, 3, 32}, device));
  std::vector<Buffer> expected = Get(compiled.Execute({&x, &k}));
  std::vector<Buffer> actual = Get(loaded.Execute({&x, &k}));
  for (size_t i = 0; i < expected.size(); ++i) {
    // The same machine code: the same bits.
    EXPECT_EQ(Get(actual[i].ToVector<float>()),
              Get(expected[i].ToVector<float>()));
  }
  EXPECT_NE(Get(actual[1].ToVector<float>()).front(), 0);
}

TEST_F(ExecutableTest, BytesThatAreNoExecutable) {
  EXPECT_FALSE(client_.Deserialize("these are not the bytes").ok());
  std::string bytes = Get(executable_.Serialize());
  bytes.resize(bytes.size() / 2);
  EXPECT_FALSE(client_.Deserialize(bytes).ok());
}

TEST(CompileOptionsTest, ContradictionsAreRefused) {
  EXPECT_ERROR(
      (CompileOptions{.num_replicas = 0}).Serialize(Platform::kCpu).status(),
      kInvalidArgument, "num_replicas is 0");
  EXPECT_ERROR((CompileOptions{.num_replicas = 2, .device_ids = {1}})
                   .Serialize(Platform::kCpu)
                   .status(),
               kInvalidArgument, "1 device ids for 2 replicas");
}

// On any machine; what XNNPACK would do shows only where XLA uses it (see
// runner_test).
TEST(CompileOptionsTest, NoXnnpackOnACpu) {
  const CompileOptions options;
  EXPECT_THAT(Get(options.Serialize(Platform::kCpu)),
              HasSubstr("xla_cpu_use_xnnpack"));
  EXPECT_THAT(Get(options.Serialize(Platform::kTpu)),
              Not(HasSubstr("xla_cpu_use_xnnpack")));
  EXPECT_NE(
      Get(CompileOptions{.flags = {{"xla_cpu_use_xnnpack", true}}}.Serialize(
          Platform::kCpu)),
      Get(options.Serialize(Platform::kCpu)));
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
