#include "xla_byol/cli/command_line.h"

#include <malloc.h>

#include <cstddef>
#include <cstdio>
#include <limits>
#include <utility>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/nearest_name.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/base/version.h"

namespace xla_byol {
namespace {

absl::Status UnknownFlag(absl::string_view name,
                         absl::Span<const MovedFlag> moved) {
  for (const MovedFlag& flag : moved) {
    if (name != flag.name && name != absl::StrCat("no", flag.name)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag.name, " is a flag of ", flag.program,
                     " now: tools/bazel run ", flag.program, " -- --help"));
  }
  std::vector<std::string> names = {"help", "set", "version"};
  for (const absl::CommandLineFlag* flag : OurFlags()) {
    names.emplace_back(flag->Name());
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no flag --", name, "; did you mean --",
                   NearestName(name, names), "? (--help lists them)"));
}

void LogErrorWithPage(const absl::Status& status) {
  const absl::string_view page = PageFor(status.message());
  LogError(page.empty() || absl::StrContains(status.message(), page)
               ? std::string(status.message())
               : absl::StrCat(status.message(), " (see ", page, ")"));
}

// The CPU plugin takes its temporaries from malloc in every step. By default
// large ones go back to the system each time, and its page faults are a sixth
// of a small network's step: docs/notes/cpu.md.
void KeepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace

absl::StatusOr<CommandLine> ParseArguments(
    const std::vector<std::string>& arguments,
    absl::Span<const MovedFlag> moved) {
  CommandLine line;
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::string_view argument = arguments[i];
    if (!absl::ConsumePrefix(&argument, "-") || argument.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", arguments[i],
          "' is not a flag; flags are --name=value (--help lists them)"));
    }
    absl::ConsumePrefix(&argument, "-");
    const bool has_value = absl::StrContains(argument, '=');
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(argument, absl::MaxSplits('=', 1));
    const std::string& name = parts.first;
    std::string value = parts.second;

    if (name == "help" && !has_value) {
      line.help = true;
      continue;
    }
    if (name == "version" && !has_value) {
      line.version = true;
      continue;
    }
    absl::CommandLineFlag* flag =
        name == "set" ? nullptr : absl::FindCommandLineFlag(name);
    const bool is_bool = flag != nullptr && flag->IsOfType<bool>();
    if (flag == nullptr && name != "set") {
      // --noflag turns a bool off.
      if (absl::StartsWith(name, "no") && !has_value) {
        flag = absl::FindCommandLineFlag(name.substr(2));
      }
      if (flag == nullptr || !flag->IsOfType<bool>())
        return UnknownFlag(name, moved);
      value = "false";
    } else if (is_bool && !has_value) {
      value = "true";
    } else if (!has_value) {
      if (++i == arguments.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat("--", name, " needs a value: --", name, "=..."));
      }
      value = arguments[i];
    }
    if (flag == nullptr) {
      line.assignments.push_back(value);
      continue;
    }
    std::string error;  // says no more than we do
    if (!flag->ParseFrom(value, &error)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", flag->Name(), ": '", value, "' is not a valid value"));
    }
  }
  return line;
}

int ExitCode(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return 0;
    case absl::StatusCode::kInvalidArgument:
      return kExitBadCall;
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kAborted:
      return kExitResumable;
    default:
      return kExitFailure;
  }
}

int RunMain(int argc, char** argv, const ProgramHelp& help,
            absl::FunctionRef<absl::Status(const CommandLine&)> run,
            absl::Span<const MovedFlag> moved) {
  KeepFreedMemory();
  const absl::StatusOr<CommandLine> line =
      ParseArguments({argv + 1, argv + argc}, moved);
  if (!line.ok()) {
    LogErrorWithPage(line.status());
    return ExitCode(line.status());
  }
  if (line->help) {
    std::fputs(HelpText(argv[0], help).c_str(), stdout);
    return 0;
  }
  if (line->version) {
    std::printf("xla_byol %s\n", kVersion);
    return 0;
  }
  const absl::Status status = run(*line);
  // A stop that was asked for is no error.
  if (absl::IsCancelled(status)) {
    LogInfo(status.message());
  } else if (!status.ok()) {
    LogErrorWithPage(status);
  }
  return ExitCode(status);
}

}  // namespace xla_byol
