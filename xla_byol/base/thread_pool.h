// A fixed number of threads that run closures in the order they were given.

#ifndef XLA_BYOL_BASE_THREAD_POOL_H_
#define XLA_BYOL_BASE_THREAD_POOL_H_

#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"

namespace xla_byol {

class ThreadPool {
 public:
  using Task = absl::AnyInvocable<void()>;

  // At least one thread is started, whatever `threads` says.
  explicit ThreadPool(int threads);

  // Waits for running tasks; those that have not begun are dropped.
  ~ThreadPool();

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Never blocks. A task must not throw, and may schedule others.
  void Schedule(Task task);

  int size() const { return static_cast<int>(threads_.size()); }

 private:
  void Work();

  absl::Mutex mutex_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

// Calls body(0) ... body(count - 1) on the pool's threads and this one, in any
// order, and returns when all have returned. Must not be called from a task of
// the same pool.
void ParallelFor(ThreadPool& pool, size_t count,
                 absl::FunctionRef<void(size_t)> body);

}  // namespace xla_byol

#endif  // XLA_BYOL_BASE_THREAD_POOL_H_
