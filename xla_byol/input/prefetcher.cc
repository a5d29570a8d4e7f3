#include "xla_byol/input/prefetcher.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"

namespace xla_byol::input {

Prefetcher::Prefetcher(const PrefetcherOptions& options, Fill fill)
    : options_(options),
      fill_(std::move(fill)),
      slots_(static_cast<size_t>(options.slots)),
      claim_batch_(options.first_batch),
      next_batch_(options.first_batch),
      pool_(options.threads) {
  for (int thread = 0; thread < options.threads; ++thread) {
    pool_.Schedule([this, thread] { Work(thread); });
  }
}

Prefetcher::~Prefetcher() {
  absl::MutexLock lock(&mutex_);
  stopping_ = true;
}

Prefetcher::Slot& Prefetcher::SlotOf(int64_t batch) {
  return slots_[static_cast<size_t>(batch % options_.slots)];
}
const Prefetcher::Slot& Prefetcher::SlotOf(int64_t batch) const {
  return slots_[static_cast<size_t>(batch % options_.slots)];
}

bool Prefetcher::CanClaim() const {
  return stopping_ || claim_row_ > 0 ||
         SlotOf(claim_batch_).state == Slot::kFree;
}

std::optional<Prefetcher::Claim> Prefetcher::NextClaim(int thread) {
  absl::MutexLock lock(&mutex_);
  if (!CanClaim()) {
    const absl::Time begin = absl::Now();
    mutex_.Await(absl::Condition(this, &Prefetcher::CanClaim));
    threads_waited_ += absl::Now() - begin;
  }
  if (stopping_ || (options_.last_batch.has_value() &&
                    claim_batch_ >= *options_.last_batch)) {
    return std::nullopt;
  }
  Claim claim;
  claim.thread = thread;
  claim.slot = static_cast<int>(claim_batch_ % options_.slots);
  claim.batch = claim_batch_;
  claim.begin_row = claim_row_;
  claim.end_row = std::min(options_.rows, claim_row_ + options_.rows_per_claim);
  if (claim_row_ == 0) {
    SlotOf(claim_batch_) = {Slot::kFilling, options_.rows};
  }
  claim_row_ = claim.end_row;
  if (claim_row_ == options_.rows) {
    claim_row_ = 0;
    ++claim_batch_;
  }
  return claim;
}

void Prefetcher::Work(int thread) {
  while (const std::optional<Claim> claim = NextClaim(thread)) {
    absl::Status filled = fill_(*claim);
    absl::MutexLock lock(&mutex_);
    if (!filled.ok()) {
      if (status_.ok()) status_ = std::move(filled);
      stopping_ = true;
      return;
    }
    Slot& slot = slots_[static_cast<size_t>(claim->slot)];
    slot.rows_left -= claim->end_row - claim->begin_row;
    if (slot.rows_left == 0) slot.state = Slot::kReady;
  }
}

absl::StatusOr<Prefetcher::Lease> Prefetcher::Acquire() {
  absl::MutexLock lock(&mutex_);
  if (options_.last_batch.has_value() && next_batch_ >= *options_.last_batch) {
    return absl::OutOfRangeError("the last batch was delivered");
  }
  const int64_t batch = next_batch_;
  if (SlotOf(batch).state == Slot::kLent) {
    return absl::FailedPreconditionError(
        "all batches are held; release one before asking for another");
  }
  const absl::Time begin = absl::Now();
  auto ready = [this, batch]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopping_ || SlotOf(batch).state == Slot::kReady;
  };
  mutex_.Await(absl::Condition(&ready));
  consumer_waited_ += absl::Now() - begin;
  if (!status_.ok()) return status_;
  if (stopping_) return absl::CancelledError("the input was shut down");
  SlotOf(batch).state = Slot::kLent;
  ++next_batch_;
  return Lease{static_cast<int>(batch % options_.slots), batch};
}

void Prefetcher::Release(int slot) {
  absl::MutexLock lock(&mutex_);
  slots_[static_cast<size_t>(slot)].state = Slot::kFree;
}

absl::Duration Prefetcher::consumer_waited() const {
  absl::MutexLock lock(&mutex_);
  return consumer_waited_;
}

absl::Duration Prefetcher::threads_waited() const {
  absl::MutexLock lock(&mutex_);
  return threads_waited_;
}

}  // namespace xla_byol::input
