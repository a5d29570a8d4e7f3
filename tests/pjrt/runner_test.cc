#include "xla_byol/pjrt/runner.h"

#include <cstdint>
#include <vector>

#include "tests/pjrt/testing.h"

namespace xla_byol::pjrt {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr int kDevices = 4;
constexpr int kLength = 3;

class RunnerTest : public ::testing::Test {
 protected:
  Buffer Vector(const std::vector<float>& values, int device) {
    return Get(client_.CopyFromHost<float>(
        values, {static_cast<int64_t>(values.size())},
        client_.devices()[device]));
  }

  // x[d] = {d+1, 10(d+1), 100(d+1)}, y = 1, for each device in turn.
  std::vector<Buffer> Arguments() {
    std::vector<Buffer> buffers;
    for (int d = 0; d < kDevices; ++d) {
      const float n = static_cast<float>(d + 1);
      buffers.push_back(Vector({n, 10 * n, 100 * n}, d));
      buffers.push_back(Vector({1, 1, 1}, d));
    }
    return buffers;
  }

  Client client_ = CpuClient(kDevices);
  LoadedExecutable executable_ = Get(client_.Compile(
      AllReduceProgram(kDevices, kLength), {.num_replicas = kDevices}));
};

TEST_F(RunnerTest, SignatureComesFromTheCompiledProgram) {
  EXPECT_EQ(executable_.signature().ToString(),
            "(f32[3] donated, f32[3]) -> (f32[3], f32[3])");
  EXPECT_EQ(executable_.devices().size(), size_t{kDevices});
}

TEST_F(RunnerTest, AllReduceOverFourDevicesIsExact) {
  std::vector<Buffer> arguments = Arguments();
  std::vector<Buffer> results = Get(executable_.Execute(Pointers(arguments)));
  ASSERT_EQ(results.size(), size_t{2 * kDevices});
  for (int d = 0; d < kDevices; ++d) {
    EXPECT_THAT(Get(results[2 * d].ToVector<float>()),
                ElementsAre(10, 100, 1000));
    EXPECT_THAT(Get(results[2 * d + 1].ToVector<float>()), Each(2));
  }
}

TEST_F(RunnerTest, AThousandRunsWithDonatedStateInPlace) {
  // state <- sum over 4 devices of state * 0.25: stays what it was, exactly.
  std::vector<Buffer> state, factor, doubled(kDevices);
  std::vector<Buffer*> arguments, results;
  for (int d = 0; d < kDevices; ++d) {
    state.push_back(Vector({1, 2, 3}, d));
    factor.push_back(Vector({0.25f, 0.25f, 0.25f}, d));
  }
  for (int d = 0; d < kDevices; ++d) {
    arguments.insert(arguments.end(), {&state[d], &factor[d]});
    results.insert(results.end(), {&state[d], &doubled[d]});
  }
  Runner runner(executable_);
  for (int i = 0; i < 1000; ++i) EXPECT_OK(runner.Run(arguments, results));
  for (int d = 0; d < kDevices; ++d) {
    EXPECT_THAT(Get(state[d].ToVector<float>()), ElementsAre(1, 2, 3));
    EXPECT_THAT(Get(doubled[d].ToVector<float>()), Each(0.5f));
  }
}

// XNNPACK would go on with the matrix that it packed in the first run.
TEST_F(RunnerTest, AProductSeesWhatWasWrittenInPlace) {
  constexpr int64_t kRows = 128, kInner = 256, kColumns = 512;
  // w <- w + (x w)[0,0] / 256, after the product, hence in place.
  const std::string program = R"(module {
    func.func @main(%w: tensor<256x512xf32> {tf.aliasing_output = 0 : i32},
                    %x: tensor<128x256xf32>)
        -> (tensor<256x512xf32>, tensor<128x512xf32>) {
      %y = stablehlo.dot %x, %w : (tensor<128x256xf32>, tensor<256x512xf32>) -> tensor<128x512xf32>
      %corner = stablehlo.slice %y [0:1, 0:1] : (tensor<128x512xf32>) -> tensor<1x1xf32>
      %all = stablehlo.broadcast_in_dim %corner, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<256x512xf32>
      %share = stablehlo.constant dense<0.00390625> : tensor<256x512xf32>
      %more = stablehlo.multiply %all, %share : tensor<256x512xf32>
      %next = stablehlo.add %w, %more : tensor<256x512xf32>
      return %next, %y : tensor<256x512xf32>, tensor<128x512xf32>
    }})";
  const auto matrix = [this](int64_t rows, int64_t columns) {
    const std::vector<float> ones(static_cast<size_t>(rows * columns), 1);
    return Get(client_.CopyFromHost<float>(ones, {rows, columns},
                                           client_.devices()[0]));
  };
  const LoadedExecutable executable = Get(client_.Compile(program, {}));
  Buffer w = matrix(kInner, kColumns), x = matrix(kRows, kInner), y;
  Runner runner(executable);
  for (float expected = kInner; expected <= 8 * kInner; expected *= 2) {
    EXPECT_OK(runner.Run({&w, &x}, {&w, &y}));
    EXPECT_THAT(Get(y.ToVector<float>()), Each(expected));
  }
}

TEST_F(RunnerTest, CompletionEventsHappen) {
  std::vector<Buffer> arguments = Arguments();
  std::vector<Buffer> results(2 * kDevices);
  std::vector<Event> done;
  EXPECT_OK(
      Runner(executable_).Run(Pointers(arguments), Pointers(results), &done));
  ASSERT_EQ(done.size(), size_t{kDevices});
  for (const Event& event : done) EXPECT_OK(event.Await());
}

TEST_F(RunnerTest, DonatedBufferUsedAgain) {
  std::vector<Buffer> arguments = Arguments();
  Get(executable_.Execute(Pointers(arguments)));
  EXPECT_TRUE(arguments[0].donated());
  EXPECT_FALSE(arguments[1].donated());
  EXPECT_ERROR(executable_.Execute(Pointers(arguments)).status(),
               kFailedPrecondition,
               "argument 0 for device 0 (f32[3]): the buffer f32[3] was "
               "donated to an earlier execution and is gone");
  EXPECT_ERROR(arguments[0].ToVector<float>().status(), kFailedPrecondition,
               "was donated");
  EXPECT_ERROR(arguments[0].Ready().status(), kFailedPrecondition,
               "was donated");
}

TEST_F(RunnerTest, TheSameBufferDonatedTwice) {
  const std::string program = R"(module {
    func.func @main(%a: tensor<3xf32> {tf.aliasing_output = 0 : i32},
                    %b: tensor<3xf32> {tf.aliasing_output = 1 : i32})
        -> (tensor<3xf32>, tensor<3xf32>) {
      %c = stablehlo.add %a, %b : tensor<3xf32>
      %d = stablehlo.multiply %a, %b : tensor<3xf32>
      return %c, %d : tensor<3xf32>, tensor<3xf32>
    }})";
  LoadedExecutable executable = Get(client_.Compile(program, {}));
  Buffer a = Vector({1, 2, 3}, 0);
  EXPECT_ERROR(executable.Execute({&a, &a}).status(), kInvalidArgument,
               "Attempt to donate the same buffer twice");
  EXPECT_THAT(Get(a.ToVector<float>()), ElementsAre(1, 2, 3));
}

TEST_F(RunnerTest, EmptyBuffer) {
  std::vector<Buffer> arguments = Arguments();
  arguments[3] = Buffer();
  EXPECT_ERROR(executable_.Execute(Pointers(arguments)).status(),
               kFailedPrecondition,
               "argument 1 for device 1 (f32[3]): the buffer is empty");
}

TEST_F(RunnerTest, WrongArgumentCount) {
  std::vector<Buffer> arguments = Arguments();
  arguments.pop_back();
  EXPECT_ERROR(executable_.Execute(Pointers(arguments)).status(),
               kInvalidArgument,
               "the program takes 2 arguments on each of 4 devices, together "
               "8; got 7");
}

TEST_F(RunnerTest, WrongResultCount) {
  std::vector<Buffer> arguments = Arguments();
  std::vector<Buffer> results(3);
  EXPECT_ERROR(Runner(executable_).Run(Pointers(arguments), Pointers(results)),
               kInvalidArgument,
               "2 results on each of 4 devices, together 8; got room "
               "for 3");
  EXPECT_FALSE(arguments[0].donated());
}

TEST_F(RunnerTest, WrongShape) {
  std::vector<Buffer> arguments = Arguments();
  arguments[4] = Vector({1, 2, 3, 4}, 2);
  EXPECT_ERROR(executable_.Execute(Pointers(arguments)).status(),
               kInvalidArgument,
               "argument 0 of 2 for device 2: the program takes f32[3], the "
               "buffer is f32[4]");
}

TEST_F(RunnerTest, WrongElementTypeOfTheSameSize) {
  std::vector<Buffer> arguments = Arguments();
  arguments[1] =
      Get(client_.CopyFromHost<int32_t>({1, 2, 3}, {3}, client_.devices()[0]));
  EXPECT_ERROR(executable_.Execute(Pointers(arguments)).status(),
               kInvalidArgument,
               "argument 1 of 2 for device 0: the program takes f32[3], the "
               "buffer is s32[3]");
}

TEST_F(RunnerTest, WrongDevice) {
  std::vector<Buffer> arguments = Arguments();
  arguments[2] = Vector({1, 2, 3}, 0);
  EXPECT_ERROR(executable_.Execute(Pointers(arguments)).status(),
               kInvalidArgument,
               "argument 0 of 2 for device 1: the buffer is in another "
               "device's memory");
}

}  // namespace
}  // namespace xla_byol::pjrt
