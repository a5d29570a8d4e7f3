// What the program itself does and when: spans of time with names, by thread.

#ifndef XLA_BYOL_PROFILING_HOST_TRACE_H_
#define XLA_BYOL_PROFILING_HOST_TRACE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "xla_byol/profiling/xspace.pb.h"

namespace xla_byol::profiling {

// How the format calls the threads of the host.
inline constexpr char kHostPlane[] = "/host:CPU";

// Thread-safe.
class HostTrace {
 public:
  // Forgets what was recorded before; spans that end from now on are recorded.
  void Start();
  void Stop() { recording_ = false; }
  bool recording() const { return recording_; }

  // `name` must live as long as the trace. With a `step` (not -1) the span is
  // one of that training step as a whole, by which XProf groups all others.
  void Add(const char* name, absl::Time begin, absl::Time end,
           int64_t step = -1);

  // The plane of what was recorded, a line for each thread; times count from
  // `origin`.
  xspace::XPlane ToPlane(absl::Time origin) const;

 private:
  struct Event {
    const char* name;
    absl::Time begin, end;
    int64_t step;
  };

  std::atomic<bool> recording_{false};
  mutable absl::Mutex mutex_;
  std::map<std::thread::id, std::vector<Event>> threads_
      ABSL_GUARDED_BY(mutex_);
};

// From its construction to its end, if the trace records at the end. Costs a
// comparison where there is no trace.
class Span {
 public:
  Span(HostTrace* trace, const char* name, int64_t step = -1);
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  ~Span();

 private:
  HostTrace* const trace_;
  const char* const name_;
  const int64_t step_;
  absl::Time begin_;
};

}  // namespace xla_byol::profiling

#endif  // XLA_BYOL_PROFILING_HOST_TRACE_H_
