// A program that runs beside this one and does not outlive it.

#ifndef XLA_BYOL_STUDIES_CHILD_PROCESS_H_
#define XLA_BYOL_STUDIES_CHILD_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace xla_byol {

// Move-only; its destructor kills the program if it still runs.
class ChildProcess {
 public:
  // Starts arguments[0] (a path) with its stdout and stderr in `log_path`,
  // which is replaced. The program has a process group of its own, so that a
  // terminal's Ctrl-C reaches only this process; when this thread or process
  // ends, however it ends, the kernel kills the program. Call it from the main
  // thread.
  static absl::StatusOr<ChildProcess> Start(
      const std::vector<std::string>& arguments, const std::string& log_path);

  ChildProcess(ChildProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)) {}
  ChildProcess& operator=(ChildProcess&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~ChildProcess();

  // The exit code once it has ended (128 + n after signal n), else nothing.
  std::optional<int> Poll();

  void Signal(int signal) const;

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_;  // -1 when moved from or ended
};

// What a program prints on stdout (its stderr is ours); FAILED_PRECONDITION
// with its exit code if it fails. For short programs.
absl::StatusOr<std::string> OutputOf(const std::vector<std::string>& arguments);

}  // namespace xla_byol

#endif  // XLA_BYOL_STUDIES_CHILD_PROCESS_H_
