// What Runner::Run costs beyond the plugin's own Execute.
//
//   tools/bazel run //tests/pjrt:runner_benchmark
//
// All loops run the same program, turn by turn in blocks, in one process. Time
// is the calling thread's CPU time: the wrapper only ever works in that thread,
// and other processes' work does not count. `extra_us` is the median round's
// difference for one execution; the bar is 20. `control_us` is the same of a
// second bare loop: what the measurement cannot tell from nothing.

#include <time.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "benchmark/benchmark.h"
#include "tests/pjrt/testing.h"
#include "xla_byol/pjrt/runner.h"

namespace xla_byol::pjrt {
namespace {

constexpr int kBlock = 20;
constexpr int kRounds = 6;

// `count` donated f32[16], each returned plus one: next to no work.
std::string StateProgram(int count) {
  std::vector<std::string> parameters, names, types;
  std::string body;
  for (int i = 0; i < count; ++i) {
    parameters.push_back(absl::StrCat(
        "%a", i, ": tensor<16xf32> {tf.aliasing_output = ", i, " : i32}"));
    absl::StrAppend(&body, "%r", i, " = stablehlo.add %a", i,
                    ", %one : tensor<16xf32>\n");
    names.push_back(absl::StrCat("%r", i));
    types.push_back("tensor<16xf32>");
  }
  return absl::StrCat("module { func.func @main(",
                      absl::StrJoin(parameters, ", "), ") -> (",
                      absl::StrJoin(types, ", "), ") {\n",
                      "%one = stablehlo.constant dense<1.0> : tensor<16xf32>\n",
                      body, "return ", absl::StrJoin(names, ", "), " : ",
                      absl::StrJoin(types, ", "), "\n} }");
}

// The same loop in plain C calls: nothing checked, nothing owned, arrays laid
// out beforehand.
class BareLoop {
 public:
  BareLoop(const PJRT_Api* api, PJRT_LoadedExecutable* executable,
           std::vector<PJRT_Buffer*> state, size_t devices)
      : api_(api), state_(std::move(state)), next_(state_.size()) {
    const size_t count = state_.size() / devices;
    for (size_t d = 0; d < devices; ++d) {
      inputs_.push_back(state_.data() + d * count);
      outputs_.push_back(next_.data() + d * count);
    }
    options_.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
    args_.struct_size = PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE;
    args_.executable = executable;
    args_.options = &options_;
    args_.argument_lists = inputs_.data();
    args_.num_devices = devices;
    args_.num_args = count;
    args_.output_lists = outputs_.data();
  }

  bool Step() {
    if (api_->PJRT_LoadedExecutable_Execute(&args_) != nullptr) return false;
    for (size_t i = 0; i < state_.size(); ++i) {
      PJRT_Buffer_Destroy_Args destroy{};
      destroy.struct_size = PJRT_Buffer_Destroy_Args_STRUCT_SIZE;
      destroy.buffer = state_[i];
      api_->PJRT_Buffer_Destroy(&destroy);
      state_[i] = next_[i];
    }
    return true;
  }

 private:
  const PJRT_Api* api_;
  std::vector<PJRT_Buffer*> state_, next_;
  std::vector<PJRT_Buffer* const*> inputs_;
  std::vector<PJRT_Buffer**> outputs_;
  PJRT_ExecuteOptions options_{};
  PJRT_LoadedExecutable_Execute_Args args_{};
};

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

double ThreadMicroseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 +
         static_cast<double>(now.tv_nsec) / 1e3;
}

double Microseconds(const std::function<void()>& block) {
  const double begin = ThreadMicroseconds();
  block();
  return (ThreadMicroseconds() - begin) / kBlock;
}

// The loops to compare; which one gets the memory that was allocated first
// shifts its time by more than the wrapper costs, so `first` says who does.
class Sides {
 public:
  static constexpr size_t kCount = 3;  // bare, another bare one, Runner

  Sides(const Client& client, const LoadedExecutable& executable, int count,
        size_t first)
      : runner_(executable) {
    const size_t devices = client.devices().size();
    const std::vector<float> zeros(16);
    for (size_t i = 0; i < kCount; ++i) {
      const size_t side = (first + i) % kCount;
      std::vector<Buffer> state;
      for (size_t n = 0; n < devices * count; ++n) {
        state.push_back(Get(client.CopyFromHost<float>(
            zeros, {16}, client.devices()[n / count])));
      }
      if (side == 2) {
        state_ = std::move(state);
        in_place_ = Pointers(state_);
        continue;
      }
      std::vector<PJRT_Buffer*> raw;
      for (Buffer& buffer : state) raw.push_back(buffer.Release());
      bare_[side] = std::make_unique<BareLoop>(
          client.plugin().api().table(), executable.handle(), raw, devices);
    }
  }

  bool Step(size_t side) {
    return side == 2 ? runner_.Run(in_place_, in_place_).ok()
                     : bare_[side]->Step();
  }

 private:
  std::unique_ptr<BareLoop> bare_[2];
  std::vector<Buffer> state_;
  std::vector<Buffer*> in_place_;
  Runner runner_;
};

void BM_RunnerBeyondBareCall(benchmark::State& state) {
  const int devices = static_cast<int>(state.range(0));
  const int count = static_cast<int>(state.range(1));
  Client client = CpuClient(devices);
  LoadedExecutable executable =
      Get(client.Compile(StateProgram(count), {.num_replicas = devices}));
  std::vector<double> bare_us, runner_us, extra_us, control_us;
  // One iteration: each side is the first to get memory once, and the order of
  // turns goes round with each round.
  for (auto _ : state) {
    for (size_t first = 0; first < Sides::kCount; ++first) {
      Sides sides(client, executable, count, first);
      for (int round = 0; round < kRounds; ++round) {
        double us[Sides::kCount];
        for (size_t i = 0; i < Sides::kCount; ++i) {
          const size_t side = (round + i) % Sides::kCount;
          bool ok = true;
          us[side] = Microseconds([&] {
            for (int n = 0; n < kBlock; ++n) ok = ok && sides.Step(side);
          });
          if (!ok) state.SkipWithError("an execution failed");
        }
        bare_us.push_back(us[0]);
        control_us.push_back(us[1] - us[0]);
        runner_us.push_back(us[2]);
        extra_us.push_back(us[2] - (us[0] + us[1]) / 2);
      }
    }
  }
  state.counters["bare_us"] = Median(bare_us);
  state.counters["control_us"] = Median(control_us);
  state.counters["runner_us"] = Median(runner_us);
  state.counters["extra_us"] = Median(extra_us);
}
// Devices, arrays of state: a toy, and as many as a ResNet-50's parameters.
BENCHMARK(BM_RunnerBeyondBareCall)
    ->Args({1, 4})
    ->Args({4, 4})
    ->Args({1, 161})
    ->Args({4, 161})
    ->Args({8, 500})
    ->Iterations(8)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace xla_byol::pjrt
