// What a program answers to --help.

#ifndef XLA_BYOL_CLI_HELP_TEXT_H_
#define XLA_BYOL_CLI_HELP_TEXT_H_

#include <string>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/strings/string_view.h"

namespace xla_byol {

// What a program does, in a sentence or two, and the flags of one call that is
// worth copying. Refers to the strings: they must live as long.
struct ProgramHelp {
  ProgramHelp(const char* what, absl::string_view call = "")  // NOLINT: a plain
      : summary(what), example(call) {}                       // text is one too

  absl::string_view summary;
  absl::string_view example;  // "--config=configs/cifar10_ns.textproto"
};

// Flags that this project defines, by name; Abseil brings a few of its own.
std::vector<absl::CommandLineFlag*> OurFlags();

// Usage line, summary, example, then the flags with their meanings and
// defaults: the program's own, groups that programs share, and those that every
// program has. `program` is argv[0]. Lines have at most 80 characters.
std::string HelpText(absl::string_view program, const ProgramHelp& help);

// The page that explains an error, as "docs/data.md"; empty if there is none.
absl::string_view PageFor(absl::string_view error);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_HELP_TEXT_H_
