#include "xla_byol/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/synchronization/blocking_counter.h"

namespace xla_byol {

ThreadPool::ThreadPool(int threads) {
  const int count = std::max(threads, 1);
  threads_.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Work(); });
}

ThreadPool::~ThreadPool() {
  std::deque<Task> dropped;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    dropped.swap(tasks_);
  }
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::Schedule(Task task) {
  absl::MutexLock lock(&mutex_);
  tasks_.push_back(std::move(task));
}

void ThreadPool::Work() {
  const auto something_to_do = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopping_ || !tasks_.empty();
  };
  for (;;) {
    Task task;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(&something_to_do));
      if (stopping_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    std::move(task)();
  }
}

void ParallelFor(ThreadPool& pool, size_t count,
                 absl::FunctionRef<void(size_t)> body) {
  std::atomic<size_t> next = 0;
  const auto work = [&next, count, body] {
    for (size_t i = next++; i < count; i = next++) body(i);
  };
  const int helpers =
      static_cast<int>(std::min(count, static_cast<size_t>(pool.size())));
  absl::BlockingCounter running(helpers);
  for (int i = 0; i < helpers; ++i) {
    pool.Schedule([&work, &running] {
      work();
      running.DecrementCount();
    });
  }
  work();
  running.Wait();
}

}  // namespace xla_byol
