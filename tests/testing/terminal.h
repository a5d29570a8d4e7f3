// What a person at a terminal would be sent.

#ifndef XLA_BYOL_TESTS_TESTING_TERMINAL_H_
#define XLA_BYOL_TESTS_TESTING_TERMINAL_H_

#include <pty.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "absl/functional/function_ref.h"

namespace xla_byol {

// Runs `work` in a child process whose stderr is a terminal, and returns what
// was written to it ("\n" arrives as "\r\n"). Empty if that cannot be made or
// the child fails.
inline std::string SeenOnTerminal(unsigned short columns,
                                  absl::FunctionRef<void()> work) {
  winsize size = {};
  size.ws_row = 24;
  size.ws_col = columns;
  int terminal;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) return "";
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    work();
    _exit(0);
  }
  std::string seen;
  char buffer[4096];
  // The last read fails when the child has closed its side.
  for (ssize_t count; (count = read(terminal, buffer, sizeof(buffer))) > 0;) {
    seen.append(buffer, static_cast<size_t>(count));
  }
  close(terminal);
  int status = 0;
  const bool well = waitpid(child, &status, 0) == child && WIFEXITED(status) &&
                    WEXITSTATUS(status) == 0;
  return well ? seen : "";
}

}  // namespace xla_byol

#endif  // XLA_BYOL_TESTS_TESTING_TERMINAL_H_
