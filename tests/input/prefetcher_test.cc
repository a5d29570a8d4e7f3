#include "xla_byol/input/prefetcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "absl/time/clock.h"

namespace xla_byol::input {
namespace {

// Rows hold batch * 1000 + row; each must be written once before delivery.
TEST(PrefetcherTest, DeliversWholeBatchesInOrder) {
  for (int threads : {1, 2, 7}) {
    for (int64_t claim : {1, 3, 100}) {
      constexpr int kSlots = 3;
      constexpr int64_t kRows = 10;
      std::vector<std::vector<int64_t>> slots(kSlots,
                                              std::vector<int64_t>(kRows));
      Prefetcher prefetcher(
          {threads, kSlots, kRows, claim, 5, std::nullopt},
          [&](const Prefetcher::Claim& part) {
            for (int64_t row = part.begin_row; row < part.end_row; ++row) {
              slots[static_cast<size_t>(part.slot)][static_cast<size_t>(row)] =
                  part.batch * 1000 + row;
            }
            return absl::OkStatus();
          });
      for (int64_t batch = 5; batch < 105; ++batch) {
        const auto lease = prefetcher.Acquire();
        ASSERT_TRUE(lease.ok());
        ASSERT_EQ(lease->batch, batch);
        for (int64_t row = 0; row < kRows; ++row) {
          ASSERT_EQ(
              slots[static_cast<size_t>(lease->slot)][static_cast<size_t>(row)],
              batch * 1000 + row);
        }
        prefetcher.Release(lease->slot);
      }
    }
  }
}

TEST(PrefetcherTest, MakesNoMoreThanThereAreSlots) {
  std::atomic<int64_t> highest = -1;
  Prefetcher prefetcher(
      {4, 3, 2, 1, 0, std::nullopt}, [&](const Prefetcher::Claim& part) {
        int64_t seen = highest;
        while (seen < part.batch &&
               !highest.compare_exchange_weak(seen, part.batch)) {
        }
        return absl::OkStatus();
      });
  for (int64_t batch = 0; batch < 20; ++batch) {
    const auto lease = prefetcher.Acquire();
    ASSERT_TRUE(lease.ok());
    // Give the threads every chance to run ahead.
    absl::SleepFor(absl::Milliseconds(2));
    EXPECT_LE(highest, batch + 2);
    prefetcher.Release(lease->slot);
  }
}

TEST(PrefetcherTest, EndsAfterTheLastBatch) {
  Prefetcher prefetcher({2, 2, 1, 1, 0, 3}, [](const Prefetcher::Claim&) {
    return absl::OkStatus();
  });
  for (int batch = 0; batch < 3; ++batch) {
    const auto lease = prefetcher.Acquire();
    ASSERT_TRUE(lease.ok());
    prefetcher.Release(lease->slot);
  }
  EXPECT_EQ(prefetcher.Acquire().status().code(),
            absl::StatusCode::kOutOfRange);
}

TEST(PrefetcherTest, ErrorsReachTheConsumer) {
  Prefetcher prefetcher({3, 2, 4, 1, 0, std::nullopt},
                        [](const Prefetcher::Claim& part) {
                          return part.batch == 2 && part.begin_row == 3
                                     ? absl::DataLossError("row 3")
                                     : absl::OkStatus();
                        });
  absl::Status status;
  for (int batch = 0; batch < 3 && status.ok(); ++batch) {
    const auto lease = prefetcher.Acquire();
    status = lease.status();
    if (lease.ok()) prefetcher.Release(lease->slot);
  }
  EXPECT_EQ(status, absl::DataLossError("row 3"));
  EXPECT_EQ(prefetcher.Acquire().status(), status);
}

TEST(PrefetcherTest, HoldingAllSlotsIsAnErrorNotADeadlock) {
  Prefetcher prefetcher(
      {1, 2, 1, 1, 0, std::nullopt},
      [](const Prefetcher::Claim&) { return absl::OkStatus(); });
  ASSERT_TRUE(prefetcher.Acquire().ok());
  ASSERT_TRUE(prefetcher.Acquire().ok());
  EXPECT_EQ(prefetcher.Acquire().status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(PrefetcherTest, ShutdownWaitsOnlyForWhatIsBeingMade) {
  std::atomic<int> made = 0;
  {
    Prefetcher prefetcher({2, 1000, 1, 1, 0, std::nullopt},
                          [&](const Prefetcher::Claim&) {
                            ++made;
                            absl::SleepFor(absl::Milliseconds(5));
                            return absl::OkStatus();
                          });
    ASSERT_TRUE(prefetcher.Acquire().ok());
  }
  // A thousand batches could have been made; at most a few were.
  EXPECT_LT(made, 100);
}

}  // namespace
}  // namespace xla_byol::input
