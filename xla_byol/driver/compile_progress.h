// Tells the person who waits for a compiler that it still works.

#ifndef XLA_BYOL_DRIVER_COMPILE_PROGRESS_H_
#define XLA_BYOL_DRIVER_COMPILE_PROGRESS_H_

#include <string>
#include <thread>

#include "absl/synchronization/mutex.h"

namespace xla_byol {

// From its making to its end writes "<what>, 12 s" to stderr: every second over
// the same line of a terminal, and every half minute as a line of its own
// elsewhere.
class CompileProgress {
 public:
  explicit CompileProgress(std::string what);
  ~CompileProgress();
  CompileProgress(const CompileProgress&) = delete;
  CompileProgress& operator=(const CompileProgress&) = delete;

 private:
  void Watch();

  const std::string what_;
  const bool terminal_;
  absl::Mutex mutex_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_DRIVER_COMPILE_PROGRESS_H_
