// Command lines of our programs: absl flags, `--set`, `--help`, `--version`,
// and the exit codes that scripts rely on.
//
//   ABSL_FLAG(std::string, run_dir, "", "Where the run is kept.");
//
//   int main(int argc, char** argv) {
//     return RunMain(argc, argv, "Trains BYOL.", [](const CommandLine& line) {
//       return Train(absl::GetFlag(FLAGS_run_dir), line.assignments);
//     });
//   }

#ifndef XLA_BYOL_CLI_COMMAND_LINE_H_
#define XLA_BYOL_CLI_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/cli/help_text.h"

namespace xla_byol {

inline constexpr int kExitFailure = 1;     // something failed at run time
inline constexpr int kExitBadCall = 2;     // wrong flags or config
inline constexpr int kExitResumable = 75;  // stopped; can be resumed

struct CommandLine {
  // Values of --set, in order: it may be given many times.
  std::vector<std::string> assignments;
  bool help = false;
  bool version = false;
};

// A flag that another program has now: `export --weights` is `weights`.
struct MovedFlag {
  const char* name;
  const char* program;  // //xla_byol:...
};

// Sets the flags that `arguments` (without the program's name) name, as
// --name=value, --name value, --flag or --noflag. Unlike absl's own parser it
// returns errors, and knows repeated flags. An unknown flag's error names the
// program that has it now, or else the nearest valid one.
absl::StatusOr<CommandLine> ParseArguments(
    const std::vector<std::string>& arguments,
    absl::Span<const MovedFlag> moved = {});

// A status as an exit code: 0, kExitBadCall for INVALID_ARGUMENT,
// kExitResumable for CANCELLED and ABORTED (another process is gone), else
// kExitFailure.
int ExitCode(const absl::Status& status);

// Parses the command line, answers --help and --version, calls `run`, and
// prints an error as one sentence on stderr, with the page that explains it if
// there is one. Returns the exit code.
int RunMain(int argc, char** argv, const ProgramHelp& help,
            absl::FunctionRef<absl::Status(const CommandLine&)> run,
            absl::Span<const MovedFlag> moved = {});

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_COMMAND_LINE_H_
