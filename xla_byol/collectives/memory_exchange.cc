#include "xla_byol/collectives/memory_exchange.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::collectives {
namespace {

constexpr size_t kElementBytes = 4;
constexpr size_t kLine = 64;  // of a cache
// What a process can show the others at once; longer data go in pieces.
constexpr size_t kSlotBytes = 512 << 10;
// From here on sums of three and more processes are divided between them.
constexpr size_t kDivided = 16 << 10;
// How often one looks before sleeping: tens of microseconds.
constexpr int kSpins = 2000;
// How long a sleeper may take to notice that this process's calls have ended.
constexpr timespec kNap = {.tv_sec = 0, .tv_nsec = 20'000'000};

// What a process does in a round, so that a mistake is noticed.
struct Announcement {
  uint32_t tag;
  uint32_t bytes;
  bool operator==(const Announcement&) const = default;
};

// The beginning of the memory. All of it starts as zeros.
struct Board {
  // How often processes have arrived at the end of a round's writing.
  alignas(kLine) std::atomic<uint32_t> arrivals;
  alignas(kLine) std::atomic<uint32_t> sleepers;
};
static_assert(std::atomic<uint32_t>::is_always_lock_free);
static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

struct alignas(kLine) Seat {
  Announcement announced[2];  // in even and odd rounds
};

absl::Status Closed() {
  return absl::UnavailableError("the connections are closed");
}

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void SleepWhile(std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &kNap, nullptr, 0);
}

void WakeAll(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// Work goes in rounds: each process writes into its slot, arrives, waits until
// all have arrived, and reads what the others wrote. There are two slots for
// each process, for even and odd rounds: who has arrived at a round has read
// all of the one before, so when all have, its slots are free again, and one
// wait in each round is enough.
class MemoryExchange : public Exchange {
 public:
  MemoryExchange(std::unique_ptr<SharedMemory> memory, int rank, int processes,
                 bool spin)
      : memory_(std::move(memory)),
        rank_(static_cast<size_t>(rank)),
        size_(static_cast<size_t>(processes)),
        spins_(spin ? kSpins : 0),
        board_(*reinterpret_cast<Board*>(memory_->data())),
        seats_(reinterpret_cast<Seat*>(memory_->data() + sizeof(Board))),
        slots_(memory_->data() + sizeof(Board) + size_ * sizeof(Seat)) {}

  std::string description() const override { return "shared memory"; }

  absl::Status AllReduce(void* data, size_t count, Combine combine,
                         uint32_t tag) override {
    absl::MutexLock lock(&mutex_);
    auto* to = static_cast<char*>(data);
    for (size_t left = count; left > 0;) {
      const size_t part = std::min(left, kSlotBytes / kElementBytes);
      RETURN_IF_ERROR(Reduce(to, part, combine, tag));
      to += part * kElementBytes;
      left -= part;
    }
    return absl::OkStatus();
  }

  absl::Status AllGather(const void* data, size_t bytes, void* result,
                         uint32_t tag) override {
    absl::MutexLock lock(&mutex_);
    auto* to = static_cast<char*>(result);
    for (size_t begin = 0; begin < bytes; begin += kSlotBytes) {
      const size_t part = std::min(bytes - begin, kSlotBytes);
      std::memcpy(Slot(rank_), static_cast<const char*>(data) + begin, part);
      RETURN_IF_ERROR(Round({tag, static_cast<uint32_t>(part)}));
      for (size_t i = 0; i < size_; ++i) {
        std::memcpy(to + i * bytes + begin, LastSlot(i), part);
      }
    }
    return absl::OkStatus();
  }

  absl::Status AllToAll(const void* data, void* result, size_t bytes,
                        uint32_t tag) override {
    absl::MutexLock lock(&mutex_);
    const auto* from = static_cast<const char*>(data);
    auto* to = static_cast<char*>(result);
    const size_t room = kSlotBytes / size_;
    for (size_t begin = 0; begin < bytes; begin += room) {
      const size_t part = std::min(bytes - begin, room);
      for (size_t i = 0; i < size_; ++i) {
        std::memcpy(Slot(rank_) + i * room, from + i * bytes + begin, part);
      }
      RETURN_IF_ERROR(Round({tag, static_cast<uint32_t>(part)}));
      for (size_t i = 0; i < size_; ++i) {
        std::memcpy(to + i * bytes + begin, LastSlot(i) + rank_ * room, part);
      }
    }
    return absl::OkStatus();
  }

  void Close() override {
    closed_ = true;
    WakeAll(board_.arrivals);
  }

 private:
  // Where a process writes in the round that comes, and wrote in the last one.
  char* Slot(size_t process) const { return SlotOf(process, round_); }
  const char* LastSlot(size_t process) const {
    return SlotOf(process, round_ - 1);
  }
  char* SlotOf(size_t process, uint32_t round) const {
    return slots_ + (process * 2 + round % 2) * kSlotBytes;
  }

  absl::Status Reduce(char* data, size_t count, Combine combine, uint32_t tag)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const size_t bytes = count * kElementBytes;
    const Announcement announcement = {tag, static_cast<uint32_t>(bytes)};
    std::memcpy(Slot(rank_), data, bytes);
    RETURN_IF_ERROR(Round(announcement));
    if (size_ == 2 || bytes < kDivided) {
      CombineSlots(0, count, combine, data);
      return absl::OkStatus();
    }
    // Each combines one part for all.
    const size_t part = (count + size_ - 1) / size_;
    const auto begin = [&](size_t i) { return std::min(i * part, count); };
    CombineSlots(begin(rank_), begin(rank_ + 1) - begin(rank_), combine,
                 Slot(rank_));
    RETURN_IF_ERROR(Round(announcement));
    for (size_t i = 0; i < size_; ++i) {
      std::memcpy(data + begin(i) * kElementBytes, LastSlot(i),
                  (begin(i + 1) - begin(i)) * kElementBytes);
    }
    return absl::OkStatus();
  }

  // Elements begin ... begin + count - 1 of the last round, in the order of
  // ranks, whoever does it.
  void CombineSlots(size_t begin, size_t count, Combine combine,
                    void* result) const {
    const size_t offset = begin * kElementBytes;
    combine(result, LastSlot(0) + offset, LastSlot(1) + offset, count);
    for (size_t i = 2; i < size_; ++i) {
      combine(result, result, LastSlot(i) + offset, count);
    }
  }

  // What this process wrote can be read, and what the others wrote.
  absl::Status Round(Announcement announcement)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    // A process whose calls have ended must not arrive again: a neighbour that
    // still waits in the round before would count it for the one that died.
    if (closed_) return Closed();
    const size_t parity = round_ % 2;
    seats_[rank_].announced[parity] = announcement;
    ++round_;
    const uint32_t complete = round_ * static_cast<uint32_t>(size_);
    if (board_.arrivals.fetch_add(1) + 1 == complete) {
      if (board_.sleepers.load() > 0) WakeAll(board_.arrivals);
    } else {
      Await(complete);
    }
    if (closed_) return Closed();
    for (size_t i = 0; i < size_; ++i) {
      const Announcement& other = seats_[i].announced[parity];
      if (other == announcement) continue;
      closed_ = true;
      return absl::InternalError(
          absl::StrCat("process ", i, " makes call ", other.tag, " of ",
                       other.bytes, " bytes, this one call ", announcement.tag,
                       " of ", announcement.bytes));
    }
    return absl::OkStatus();
  }

  // Until all have arrived, or this process's calls end.
  void Await(uint32_t complete) {
    const auto done = [&](uint32_t arrivals) {
      // The count wraps around.
      return static_cast<int32_t>(arrivals - complete) >= 0 || closed_;
    };
    for (int i = 0; i < spins_; ++i) {
      if (done(board_.arrivals.load(std::memory_order_acquire))) return;
      Pause();
    }
    // The last one to come looks for sleepers after its arrival, a sleeper at
    // the arrivals after it is counted: one of them sees the other.
    ++board_.sleepers;
    for (uint32_t seen; !done(seen = board_.arrivals.load());) {
      SleepWhile(board_.arrivals, seen);
    }
    --board_.sleepers;
  }

  const std::unique_ptr<SharedMemory> memory_;
  const size_t rank_;
  const size_t size_;
  const int spins_;
  Board& board_;
  Seat* const seats_;
  char* const slots_;
  std::atomic<bool> closed_{false};
  absl::Mutex mutex_;
  uint32_t round_ = 0;  // changed by Round only
};

}  // namespace

size_t MemoryExchangeBytes(int processes) {
  return sizeof(Board) +
         static_cast<size_t>(processes) * (sizeof(Seat) + 2 * kSlotBytes);
}

std::unique_ptr<Exchange> MakeMemoryExchange(
    std::unique_ptr<SharedMemory> memory, int rank, int processes, bool spin) {
  return std::make_unique<MemoryExchange>(std::move(memory), rank, processes,
                                          spin);
}

}  // namespace xla_byol::collectives
