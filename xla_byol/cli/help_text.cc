#include "xla_byol/cli/help_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/flags/reflection.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace xla_byol {
namespace {

constexpr size_t kColumns = 80;

// `text` in lines that start with `indent` spaces. A word that is too long has
// a line of its own.
void AppendWrapped(absl::string_view text, size_t indent, std::string& to) {
  size_t column = 0;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (column > 0 && column + 1 + word.size() > kColumns) {
      absl::StrAppend(&to, "\n");
      column = 0;
    }
    if (column == 0) {
      absl::StrAppend(&to, std::string(indent, ' '), word);
      column = indent + word.size();
    } else {
      absl::StrAppend(&to, " ", word);
      column += 1 + word.size();
    }
  }
  absl::StrAppend(&to, "\n");
}

void AppendFlag(absl::string_view name, absl::string_view meaning,
                std::string& to) {
  absl::StrAppend(&to, "  --", name, "\n");
  AppendWrapped(meaning, 6, to);
}

// A program's own flags are in xla_byol/PROGRAM.cc, shared ones in packages.
bool IsShared(const absl::CommandLineFlag& flag) {
  const std::string file = flag.Filename();
  const size_t package = file.rfind("xla_byol/");
  return absl::StrContains(file.substr(package + sizeof("xla_byol")), '/');
}

void AppendFlags(absl::string_view title, bool shared, std::string& to) {
  std::string lines;
  for (const absl::CommandLineFlag* flag : OurFlags()) {
    if (IsShared(*flag) != shared) continue;
    const std::string value = flag->DefaultValue();
    AppendFlag(
        flag->Name(),
        absl::StrCat(flag->Help(), value.empty() ? "" : " Default: ", value),
        lines);
  }
  if (!lines.empty()) absl::StrAppend(&to, "\n", title, "\n", lines);
}

}  // namespace

std::vector<absl::CommandLineFlag*> OurFlags() {
  std::vector<absl::CommandLineFlag*> flags;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (absl::StrContains(flag->Filename(), "xla_byol/")) {
      flags.push_back(flag);
    }
  }
  std::sort(flags.begin(), flags.end(),
            [](const auto* a, const auto* b) { return a->Name() < b->Name(); });
  return flags;
}

std::string HelpText(absl::string_view program, const ProgramHelp& help) {
  const absl::string_view name = program.substr(program.rfind('/') + 1);
  const std::string call = absl::StrCat("tools/bazel run //xla_byol:", name);
  std::string text =
      absl::StrCat("Usage: ", call, " -- [--flag=value ...]\n\n");
  AppendWrapped(help.summary, 0, text);
  if (!help.example.empty()) {
    absl::StrAppend(&text, "\nExample:\n  ", call, " -- ", help.example, "\n");
  }
  AppendFlags("Flags of this program:", false, text);
  AppendFlags("Config and devices:", true, text);
  absl::StrAppend(&text, "\nEvery program:\n");
  AppendFlag("set",
             "Overrides a field of the config, as --set=predictor.ridge=0.3; "
             "may be given many times. docs/configuration.md lists the fields.",
             text);
  AppendFlag("help", "This text.", text);
  AppendFlag("version", "The version.", text);
  return text;
}

}  // namespace xla_byol
