#include "xla_byol/pjrt/custom_call.h"

#include <atomic>
#include <thread>

#include "absl/strings/substitute.h"
#include "tests/pjrt/testing.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/pjrt/shared_tasks.h"

namespace xla_byol::pjrt {
namespace {

// y = x * factor + offsets[0] - offsets[1]; refuses negative numbers.
absl::Status Scale(const CustomCall& call) {
  ASSIGN_OR_RETURN(const int64_t factor, call.Integer("factor"));
  ASSIGN_OR_RETURN(absl::Span<const int64_t> offsets, call.Integers("offsets"));
  ASSIGN_OR_RETURN(absl::Span<const float> x, call.Operand<float>(0));
  ASSIGN_OR_RETURN(absl::Span<float> y, call.Result<float>(0));
  std::atomic<bool> negative = false;
  call.ParallelFor(static_cast<int>(x.size()), [&](int i) {
    if (x[i] < 0) negative = true;
    y[i] = x[i] * static_cast<float>(factor) +
           static_cast<float>(offsets[0] - offsets[1]);
  });
  if (negative) return absl::OutOfRangeError("a negative number");
  return absl::OkStatus();
}

absl::Status WrongType(const CustomCall& call) {
  return call.Operand<int32_t>(0).status();
}
absl::Status NoOperand(const CustomCall& call) {
  return call.Operand<float>(1).status();
}
absl::Status NoAttribute(const CustomCall& call) {
  return call.Integer("speed").status();
}

const Plugin& PluginWithCalls() {
  static const Plugin* const plugin = [] {
    const Plugin* cpu = Get(Plugin::Load(Platform::kCpu));
    EXPECT_OK(RegisterCustomCall<Scale>(*cpu, "scale"));
    EXPECT_OK(RegisterCustomCall<WrongType>(*cpu, "wrong_type"));
    EXPECT_OK(RegisterCustomCall<NoOperand>(*cpu, "no_operand"));
    EXPECT_OK(RegisterCustomCall<NoAttribute>(*cpu, "no_attribute"));
    return cpu;
  }();
  return *plugin;
}

std::string CallProgram(const std::string& name) {
  return absl::Substitute(
      R"(module @calls {
  func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {
    %y = "stablehlo.custom_call"(%x) {call_target_name = "$0",
      api_version = 4 : i32,
      backend_config = {name = "$0", scope = "net/layer", factor = 3 : i64,
                        offsets = array<i64: 5, 7>}}
      : (tensor<6xf32>) -> tensor<6xf32>
    "func.return"(%y) : (tensor<6xf32>) -> ()
  }
})",
      name);
}

absl::StatusOr<std::vector<float>> Call(const Client& client,
                                        const LoadedExecutable& executable,
                                        std::vector<float> x) {
  ASSIGN_OR_RETURN(Buffer input,
                   client.CopyFromHost<float>(x, {6}, client.devices()[0]));
  ASSIGN_OR_RETURN(std::vector<Buffer> results, executable.Execute({&input}));
  std::vector<float> y(6);
  ASSIGN_OR_RETURN(Event copied,
                   results[0].CopyToHost(absl::MakeSpan(
                       reinterpret_cast<std::byte*>(y.data()), 24)));
  RETURN_IF_ERROR(copied.Await());
  return y;
}

TEST(CustomCallTest, ComputesInThisProcess) {
  EXPECT_TRUE(HasCustomCalls(PluginWithCalls()));
  const Client client = Get(Client::Create(PluginWithCalls()));
  const LoadedExecutable scale = Get(client.Compile(CallProgram("scale"), {}));
  EXPECT_THAT(Get(Call(client, scale, {0, 1, 2, 3, 4, 5})),
              testing::ElementsAre(-2, 1, 4, 7, 10, 13));
}

TEST(CustomCallTest, SurvivesSerialization) {
  const Client client = Get(Client::Create(PluginWithCalls()));
  const LoadedExecutable scale = Get(client.Compile(CallProgram("scale"), {}));
  const LoadedExecutable again =
      Get(client.Deserialize(Get(scale.executable().Serialize())));
  EXPECT_THAT(Get(Call(client, again, {0, 1, 2, 3, 4, 5})),
              testing::ElementsAre(-2, 1, 4, 7, 10, 13));
}

TEST(CustomCallTest, ErrorsNameCallOperandsAndScope) {
  const Client client = Get(Client::Create(PluginWithCalls()));
  const auto error = [&](const char* name, float first) {
    const LoadedExecutable executable =
        Get(client.Compile(CallProgram(name), {}));
    return Call(client, executable, {first, 1, 2, 3, 4, 5}).status();
  };
  EXPECT_ERROR(error("scale", -1), kOutOfRange,
               "scale: a negative number (f32[6]) at net/layer");
  EXPECT_ERROR(
      error("wrong_type", 0), kInvalidArgument,
      "wrong_type: operand 0 is f32[6], not s32 (f32[6]) at net/layer");
  EXPECT_ERROR(error("no_operand", 0), kInvalidArgument,
               "no_operand: has no operand 1, only 1 (f32[6]) at net/layer");
  EXPECT_ERROR(error("no_attribute", 0), kInvalidArgument,
               "no_attribute: the attribute 'speed' is absent");
  // An execution that failed leaves the program usable.
  const LoadedExecutable scale = Get(client.Compile(CallProgram("scale"), {}));
  EXPECT_FALSE(Call(client, scale, {-1, 1, 2, 3, 4, 5}).ok());
  EXPECT_TRUE(Call(client, scale, {1, 1, 2, 3, 4, 5}).ok());
}

TEST(CustomCallTest, UnknownNamesAreRefusedByTheCompiler) {
  const Client client = Get(Client::Create(PluginWithCalls()));
  const absl::Status status =
      client.Compile(CallProgram("never_registered"), {}).status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("never_registered"));
}

TEST(SharedTasksTest, EachTaskRunsOnceWhoeverHelps) {
  for (int round = 0; round < 2000; ++round) {
    const int count = round % 7;
    std::vector<int> runs(static_cast<size_t>(count), 0);
    const auto task = [&](int i) { ++runs[static_cast<size_t>(i)]; };
    const absl::FunctionRef<void(int)> ref = task;
    SharedTasks* tasks = SharedTasks::Take(count, 3, ref);
    std::thread early(SharedTasks::Help, tasks);
    std::thread second;
    if (round % 2 == 0) second = std::thread(SharedTasks::Help, tasks);
    tasks->RunAndWait();
    EXPECT_EQ(runs, std::vector<int>(runs.size(), 1));
    // One that comes when everything is over, and one that never could.
    if (round % 2 != 0) second = std::thread(SharedTasks::Help, tasks);
    tasks->GiveUpHelper();
    early.join();
    second.join();
  }
}

}  // namespace
}  // namespace xla_byol::pjrt
