#include "xla_byol/studies/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_byol/base/files.h"

namespace xla_byol {
namespace {

// Pointers into `arguments`, which must outlive them.
std::vector<char*> ArgumentPointers(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

// Only what is safe between fork and exec in a process with threads.
[[noreturn]] void BecomeProgram(char* const* arguments, int output, int errors,
                                pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have gone before the line above.
  if (getppid() != parent) _exit(127);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execvp(arguments[0], arguments);
  _exit(127);
}

int CodeOf(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

absl::StatusOr<ChildProcess> ChildProcess::Start(
    const std::vector<std::string>& arguments, const std::string& log_path) {
  const int log =
      open(log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (log < 0) {
    return ErrnoToStatus(errno, absl::StrCat("cannot open '", log_path, "'"));
  }
  const std::vector<char*> pointers = ArgumentPointers(arguments);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) BecomeProgram(pointers.data(), log, log, parent);
  const int error = errno;
  close(log);
  if (pid < 0) return ErrnoToStatus(error, "cannot start a process");
  return ChildProcess(pid);
}

ChildProcess::~ChildProcess() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::optional<int> ChildProcess::Poll() {
  int status = 0;
  if (pid_ < 0 || waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  return CodeOf(status);
}

void ChildProcess::Signal(int signal) const {
  if (pid_ >= 0) kill(pid_, signal);
}

absl::StatusOr<std::string> OutputOf(
    const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return ErrnoToStatus(errno, "cannot make a pipe");
  }
  const std::vector<char*> pointers = ArgumentPointers(arguments);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) BecomeProgram(pointers.data(), ends[1], STDERR_FILENO, parent);
  const int error = errno;
  close(ends[1]);
  std::string output;
  char buffer[4096];
  ssize_t count = 0;
  while (pid > 0 && ((count = read(ends[0], buffer, sizeof buffer)) > 0 ||
                     (count < 0 && errno == EINTR))) {
    if (count > 0) output.append(buffer, static_cast<size_t>(count));
  }
  close(ends[0]);
  if (pid < 0) return ErrnoToStatus(error, "cannot start a process");
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (CodeOf(status) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("'", absl::StrJoin(arguments, " "),
                     "' ended with exit code ", CodeOf(status)));
  }
  return output;
}

}  // namespace xla_byol
