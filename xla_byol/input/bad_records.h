// Counts the records that could not be used, and says when they are too many.

#ifndef XLA_BYOL_INPUT_BAD_RECORDS_H_
#define XLA_BYOL_INPUT_BAD_RECORDS_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "xla_byol/input/dataset.h"

namespace xla_byol::input {

// Threads may share one. The data set must outlive it.
class BadRecords {
 public:
  // More than `budget` (a share of the data set's records) is an error; a few
  // are not.
  BadRecords(const Dataset& dataset, double budget);

  // Notes a record, and logs where it is and why, unless this process has said
  // so before. An error, with the list of all, once there are more than the
  // budget allows.
  absl::Status Add(int64_t index, const absl::Status& why);

  // Whether it was added; costs nothing while there are none.
  bool Contains(int64_t index) const;

  int64_t count() const { return count_.load(std::memory_order_acquire); }

  // One line for each: where and why, in order of the index.
  std::vector<std::string> List() const;

 private:
  absl::Status TooMany() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Dataset& dataset_;
  int64_t allowed_;
  std::atomic<int64_t> count_ = 0;
  mutable absl::Mutex mutex_;
  std::map<int64_t, std::string> records_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_BAD_RECORDS_H_
