// A list of tasks that several threads work through together.

#ifndef XLA_BYOL_PJRT_SHARED_TASKS_H_
#define XLA_BYOL_PJRT_SHARED_TASKS_H_

#include <atomic>

#include "absl/functional/function_ref.h"

namespace xla_byol::pjrt {

// One caller runs its tasks with help from threads that may come late, or
// never: whoever is there takes the next task. Objects are kept for the next
// caller, since a helper may look in long after all is done; so nothing is
// allocated once there are enough of them.
class SharedTasks {
 public:
  // For `helpers` threads beside the caller. `task` must live until RunAndWait
  // returns.
  static SharedTasks* Take(int count, int helpers,
                           const absl::FunctionRef<void(int)>& task);

  // Each helper calls this once, with what Take returned.
  static void Help(void* shared_tasks);
  // In place of a helper that could not be asked.
  void GiveUpHelper() { Leave(); }
  // The caller, once: works, waits for the tasks that helpers have begun, and
  // gives the object back.
  void RunAndWait();

 private:
  SharedTasks() = default;
  void Work();
  void Leave();

  const absl::FunctionRef<void(int)>* task_ = nullptr;  // the caller's
  int count_ = 0;
  std::atomic<int> next_{0};
  std::atomic<int> done_{0};
  std::atomic<int> users_{0};
  SharedTasks* next_free_ = nullptr;
};

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_SHARED_TASKS_H_
