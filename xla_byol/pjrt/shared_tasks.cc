#include "xla_byol/pjrt/shared_tasks.h"

#include <mutex>

namespace xla_byol::pjrt {
namespace {

// Not Abseil's, whose Debian build ThreadSanitizer does not see into.
constinit std::mutex free_mutex;  // of first_free
SharedTasks* first_free = nullptr;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

SharedTasks* SharedTasks::Take(int count, int helpers,
                               const absl::FunctionRef<void(int)>& task) {
  SharedTasks* tasks = nullptr;
  {
    const std::lock_guard lock(free_mutex);
    tasks = first_free;
    if (tasks != nullptr) first_free = tasks->next_free_;
  }
  if (tasks == nullptr) tasks = new SharedTasks;
  tasks->task_ = &task;
  tasks->count_ = count;
  tasks->next_.store(0, std::memory_order_relaxed);
  tasks->done_.store(0, std::memory_order_relaxed);
  // Publishes the rest to helpers, which the plugin's queue does as well.
  tasks->users_.store(helpers + 1, std::memory_order_release);
  return tasks;
}

void SharedTasks::Help(void* shared_tasks) {
  auto* tasks = static_cast<SharedTasks*>(shared_tasks);
  tasks->Work();
  tasks->Leave();
}

void SharedTasks::Work() {
  while (true) {
    const int i = next_.fetch_add(1, std::memory_order_relaxed);
    if (i >= count_) return;
    (*task_)(i);
    if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) {
      done_.notify_one();
    }
  }
}

void SharedTasks::RunAndWait() {
  Work();
  // Equal shares end at nearly the same time: sleeping would cost more.
  constexpr int kSpins = 4000;
  int done = done_.load(std::memory_order_acquire);
  for (int i = 0; done < count_ && i < kSpins; ++i) {
    Pause();
    done = done_.load(std::memory_order_acquire);
  }
  while (done < count_) {
    done_.wait(done, std::memory_order_acquire);
    done = done_.load(std::memory_order_acquire);
  }
  Leave();
}

void SharedTasks::Leave() {
  if (users_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  const std::lock_guard lock(free_mutex);
  next_free_ = first_free;
  first_free = this;
}

}  // namespace xla_byol::pjrt
