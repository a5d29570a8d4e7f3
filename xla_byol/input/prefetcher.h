// Threads that fill a ring of slots ahead of their consumer.

#ifndef XLA_BYOL_INPUT_PREFETCHER_H_
#define XLA_BYOL_INPUT_PREFETCHER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "xla_byol/base/thread_pool.h"

namespace xla_byol::input {

struct PrefetcherOptions {
  int threads = 1;
  int slots = 2;               // Batches that can be made or held at once.
  int64_t rows = 1;            // In a batch.
  int64_t rows_per_claim = 1;  // That a thread takes at a time.
  int64_t first_batch = 0;
  std::optional<int64_t> last_batch;  // Beyond the last; endless without.
};

// Batch b is made in slot b % slots, row by row, by any threads, as soon as
// the slot is free: nothing is made further ahead, and nothing is copied.
// Batches are delivered in order.
class Prefetcher {
 public:
  // A part of a batch to make. `thread` is below options.threads, and each
  // thread makes one part at a time.
  struct Claim {
    int thread;
    int slot;
    int64_t batch;
    int64_t begin_row;
    int64_t end_row;
  };
  using Fill = std::function<absl::Status(const Claim&)>;

  // Starts at once.
  Prefetcher(const PrefetcherOptions& options, Fill fill);

  // Stops at once: waits for the claims being filled, and for no others.
  ~Prefetcher();

  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  struct Lease {
    int slot;
    int64_t batch;
  };
  // Waits for the next batch; its slot is the caller's until Release. The
  // first error of a Fill ends everything and is returned from then on.
  // OutOfRange after the last batch. Holding all slots while asking for
  // another is FailedPrecondition, as it would wait for ever.
  absl::StatusOr<Lease> Acquire();
  void Release(int slot);

  // Total time that Acquire waited, and that threads waited for a free slot.
  absl::Duration consumer_waited() const;
  absl::Duration threads_waited() const;

 private:
  struct Slot {
    enum State { kFree, kFilling, kReady, kLent } state = kFree;
    int64_t rows_left = 0;
  };

  void Work(int thread);
  std::optional<Claim> NextClaim(int thread);
  bool CanClaim() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Slot& SlotOf(int64_t batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  const Slot& SlotOf(int64_t batch) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const PrefetcherOptions options_;
  const Fill fill_;
  mutable absl::Mutex mutex_;
  std::vector<Slot> slots_ ABSL_GUARDED_BY(mutex_);
  int64_t claim_batch_ ABSL_GUARDED_BY(mutex_);    // To claim rows of next,
  int64_t claim_row_ ABSL_GUARDED_BY(mutex_) = 0;  // from this row on.
  int64_t next_batch_ ABSL_GUARDED_BY(mutex_);     // To be acquired next.
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  absl::Duration consumer_waited_ ABSL_GUARDED_BY(mutex_);
  absl::Duration threads_waited_ ABSL_GUARDED_BY(mutex_);
  // Last, so that its threads are gone before what they use.
  ThreadPool pool_;
};

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_PREFETCHER_H_
