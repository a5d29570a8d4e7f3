// A run's checkpoints: the newest good one, which ones stay, and saving in the
// background.

#ifndef XLA_BYOL_CHECKPOINT_CHECKPOINT_STORE_H_
#define XLA_BYOL_CHECKPOINT_CHECKPOINT_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "xla_byol/checkpoint/checkpoint.h"

namespace xla_byol {

struct CheckpointPolicy {
  int keep_last = 3;
  int64_t keep_every = 0;  // steps; 0: none beyond the last
};

// The folder of a run's checkpoints. Only the process that writes may call
// what is not const.
class CheckpointStore {
 public:
  CheckpointStore(std::string folder, std::vector<StateTensor> layout,
                  CheckpointPolicy policy);

  // Waits for a save under way.
  ~CheckpointStore();
  CheckpointStore(const CheckpointStore&) = delete;
  CheckpointStore& operator=(const CheckpointStore&) = delete;

  // Steps of the complete checkpoints, smallest first.
  absl::StatusOr<std::vector<int64_t>> Steps() const;
  std::string FolderOf(int64_t step) const;

  // The newest checkpoint that is whole; nothing if there never was one. A
  // damaged one is renamed to bad-step-... with a warning that names file and
  // tensor, and the next older one is tried. FailedPrecondition if none of
  // those that are there is good (a run never begins anew by itself), or if the
  // newest whole one is of another config or a newer format: nothing is
  // touched.
  absl::StatusOr<std::optional<Checkpoint>> TakeNewest();
  // The same without renaming; for readers of someone else's run.
  absl::StatusOr<Checkpoint> ReadNewest() const;

  // Writes in the background, then deletes what the policy does not keep. A
  // failure is a warning at once; the older checkpoints stay. Only one save is
  // under way at a time: see busy().
  void Save(int64_t step, StateValues values);
  bool busy() const;
  // Waits for the save under way; the status of the last one.
  absl::Status Wait();

  // The step of the last one that was saved or taken; -1: none.
  int64_t last_good_step() const;

 private:
  void WriteAndPrune(int64_t step, const StateValues& values);
  void Prune();
  // What killed processes left.
  void SweepTemporaries();
  absl::StatusOr<std::optional<Checkpoint>> Newest(bool set_aside) const;

  const std::string folder_;
  const std::vector<StateTensor> layout_;
  const CheckpointPolicy policy_;
  std::thread writer_;
  mutable absl::Mutex mutex_;
  bool busy_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status last_status_ ABSL_GUARDED_BY(mutex_);
  int64_t last_good_step_ ABSL_GUARDED_BY(mutex_) = -1;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_CHECKPOINT_CHECKPOINT_STORE_H_
