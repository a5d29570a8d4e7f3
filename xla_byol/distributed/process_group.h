// Processes that run one training together: who they are, and small values that
// they tell each other.

#ifndef XLA_BYOL_DISTRIBUTED_PROCESS_GROUP_H_
#define XLA_BYOL_DISTRIBUTED_PROCESS_GROUP_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace xla_byol::distributed {

// Thread-safe. A key belongs to the process that puts it: whoever gets a value
// says whose, since PMIx 4.2.2 answers no other question in time.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;

  int rank() const { return rank_; }
  int size() const { return size_; }
  // How they found each other: "PMIx", "the folder /shared/job7".
  virtual std::string description() const = 0;

  // ALREADY_EXISTS if this process has put a value there before.
  virtual absl::Status Put(absl::string_view key, absl::string_view value) = 0;
  // NOT_FOUND if `writer` has not put it yet.
  virtual absl::StatusOr<std::string> TryGet(int writer,
                                             absl::string_view key) = 0;
  // Waits until `writer` has put it. DEADLINE_EXCEEDED with its rank after
  // `timeout`.
  absl::StatusOr<std::string> Get(int writer, absl::string_view key,
                                  absl::Duration timeout);

  // Asked while Get waits: an error ends the wait.
  void set_interrupt(std::function<absl::Status()> interrupt) {
    interrupt_ = std::move(interrupt);
  }

 protected:
  ProcessGroup(int rank, int size) : rank_(rank), size_(size) {}

 private:
  const int rank_;
  const int size_;
  std::function<absl::Status()> interrupt_;
};

}  // namespace xla_byol::distributed

#endif  // XLA_BYOL_DISTRIBUTED_PROCESS_GROUP_H_
