// What the executable cache saves: a deep stack of convolutions, compiled and
// loaded on the CPU.
//
//   tools/bazel run //tests/pjrt:cache_benchmark

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "benchmark/benchmark.h"
#include "tests/pjrt/testing.h"

namespace xla_byol::pjrt {
namespace {

std::string Convolutions(int depth) {
  std::string body;
  for (int i = 0; i < depth; ++i) {
    absl::StrAppend(&body, absl::Substitute(R"(
      %c$1 = stablehlo.convolution(%x$0, %k)
          dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
          window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
          {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : (tensor<8x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<8x16x16x32xf32>
      %t$1 = stablehlo.tanh %c$1 : tensor<8x16x16x32xf32>
      %x$1 = stablehlo.add %t$1, %x$0 : tensor<8x16x16x32xf32>)",
                                            i, i + 1));
  }
  return absl::Substitute(R"(module {
    func.func @main(%x0: tensor<8x16x16x32xf32>, %k: tensor<3x3x32x32xf32>)
        -> tensor<8x16x16x32xf32> { $0
      return %x$1 : tensor<8x16x16x32xf32>
    }})",
                          body, depth);
}

void BM_Compile(benchmark::State& state) {
  Client client = CpuClient(1);
  const std::string program = Convolutions(static_cast<int>(state.range(0)));
  for (auto _ : state) Get(client.Compile(program, {}));
}
BENCHMARK(BM_Compile)->Arg(50)->Iterations(5)->Unit(benchmark::kMillisecond);

void BM_Load(benchmark::State& state) {
  Client client = CpuClient(1);
  const std::string program = Convolutions(static_cast<int>(state.range(0)));
  const std::string bytes =
      Get(Get(client.Compile(program, {})).executable().Serialize());
  for (auto _ : state) Get(client.Deserialize(bytes));
  state.counters["bytes"] = static_cast<double>(bytes.size());
}
BENCHMARK(BM_Load)->Arg(50)->Iterations(5)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace xla_byol::pjrt
