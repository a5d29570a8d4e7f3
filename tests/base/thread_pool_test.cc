#include "xla_byol/base/thread_pool.h"

#include <atomic>
#include <memory>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace xla_byol {
namespace {

TEST(ThreadPoolTest, RunsEveryTaskAlsoThoseMadeByTasks) {
  ThreadPool pool(3);
  absl::BlockingCounter left(200);
  for (int i = 0; i < 100; ++i) {
    pool.Schedule([&pool, &left, owned = std::make_unique<int>(i)] {
      pool.Schedule([&left] { left.DecrementCount(); });
      left.DecrementCount();
    });
  }
  left.Wait();
}

TEST(ThreadPoolTest, DestructionWaitsForTheRunningAndDropsTheRest) {
  std::atomic<int> finished = 0;
  {
    ThreadPool pool(1);
    absl::Notification started;
    pool.Schedule([&] {
      started.Notify();
      ++finished;
    });
    started.WaitForNotification();
  }
  EXPECT_EQ(finished, 1);
  EXPECT_EQ(ThreadPool(0).size(), 1);
}

TEST(ThreadPoolTest, ParallelForCoversEachIndexOnce) {
  ThreadPool pool(4);
  for (size_t count : {0u, 1u, 3u, 1000u}) {
    std::vector<std::atomic<int>> seen(count);
    ParallelFor(pool, count, [&seen](size_t i) { ++seen[i]; });
    for (const auto& times : seen) EXPECT_EQ(times, 1);
  }
}

}  // namespace
}  // namespace xla_byol
