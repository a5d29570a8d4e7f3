// Without a plugin, so that ThreadSanitizer sees all there is:
//   tools/bazel test --config=tsan //tests/kernels:convolution_plan_test

#include "xla_byol/kernels/convolution_plan.h"

#include <cstdint>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_byol/kernels/workspace.h"

namespace xla_byol::kernels {
namespace {

// What the plugin's threads do: many calls of few sizes at once, each with its
// own memory. The sanitizers watch.
TEST(ConvolutionPlanTest, PlansServeManyThreads) {
  constexpr int kThreads = 4;
  const ConvolutionSizes sizes{ConvolutionKind::kKernelGradient,
                               {2, 8, 8, 16},
                               {3, 3, 16, 32},
                               {2, 8, 8, 32},
                               {1, 1},
                               {1, 1},
                               {1, 1, 1, 1}};
  const std::vector<float> images(2 * 8 * 8 * 16, 0.5f);
  const std::vector<float> cotangent(2 * 8 * 8 * 32, 0.25f);
  std::vector<std::vector<float>> results(kThreads,
                                          std::vector<float>(3 * 3 * 16 * 32));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t round = 0; round < 200; ++round) {
        ConvolutionSizes other = sizes;
        other.images[0] = other.result[0] = 1 + round % 2;
        auto plan = ConvolutionPlan::Find(other);
        ASSERT_TRUE(plan.ok()) << plan.status();
        const Workspace workspace((*plan)->workspace_bytes());
        const absl::Status status =
            (*plan)->Run(images.data(), cotangent.data(), results[t].data(),
                         workspace.data());
        ASSERT_TRUE(status.ok()) << status;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // The middle of the kernel sees every position of both images.
  EXPECT_NEAR(results[0][(1 * 3 + 1) * 16 * 32], 2 * 64 * 0.125, 1e-4);
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST(ConvolutionPlanTest, ImpossibleSizesAreErrors) {
  const ConvolutionSizes sizes{ConvolutionKind::kForward,
                               {2, 8, 8, 16},
                               {3, 3, 16, 32},
                               {2, 9, 8, 32},  // one row too many
                               {1, 1},
                               {1, 1},
                               {1, 1, 1, 1}};
  const absl::Status status = ConvolutionPlan::Make(sizes).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(status.message(),
            "oneDNN cannot plan a convolution: invalid arguments");
}

}  // namespace
}  // namespace xla_byol::kernels
