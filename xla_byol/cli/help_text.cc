#include "xla_byol/cli/help_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/container/flat_hash_set.h"
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

// Flags that belong together, in the order in which --help shows them. Others
// are a program's own and come first.
struct FlagGroup {
  const char* title;
  std::vector<absl::string_view> names;
};

const std::vector<FlagGroup>& FlagGroups() {
  static const auto* const groups = new std::vector<FlagGroup>{
      {"Run:", {"run_dir", "branch"}},
      {"Data and settings:", {"dataset", "data_dir", "config", "set"}},
      {"Devices:",
       {"platform", "devices", "topology", "plugin", "executable",
        "executable_cache", "reader_threads"}},
      {"Several processes:",
       {"processes", "process", "rendezvous", "peer_timeout"}},
  };
  return *groups;
}

void AppendFlag(const absl::CommandLineFlag& flag, std::string& to) {
  const std::string value = flag.DefaultValue();
  AppendFlag(
      flag.Name(),
      absl::StrCat(flag.Help(), value.empty() ? "" : " Default: ", value), to);
}

// Flags in no group.
void AppendOwnFlags(std::string& to) {
  absl::flat_hash_set<absl::string_view> grouped;
  for (const FlagGroup& group : FlagGroups()) {
    grouped.insert(group.names.begin(), group.names.end());
  }
  std::string lines;
  for (const absl::CommandLineFlag* flag : OurFlags()) {
    if (!grouped.contains(flag->Name())) AppendFlag(*flag, lines);
  }
  if (!lines.empty()) absl::StrAppend(&to, "\nFlags of this program:\n", lines);
}

void AppendGroup(const FlagGroup& group,
                 const std::vector<absl::CommandLineFlag*>& flags,
                 bool takes_settings, std::string& to) {
  const auto named = [&](absl::string_view name) {
    return std::find_if(flags.begin(), flags.end(),
                        [&](const auto* flag) { return flag->Name() == name; });
  };
  std::string lines;
  for (const absl::string_view name : group.names) {
    if (const auto flag = named(name); flag != flags.end()) {
      AppendFlag(**flag, lines);
    } else if (name == "set" && takes_settings) {
      AppendFlag(name,
                 "Overrides a field of the config, as "
                 "--set=predictor.ridge=0.3; may be given many times. "
                 "docs/configuration.md lists the fields.",
                 lines);
    }
  }
  if (!lines.empty()) absl::StrAppend(&to, "\n", group.title, "\n", lines);
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
  AppendOwnFlags(text);
  const std::vector<absl::CommandLineFlag*> flags = OurFlags();
  // A config may also be that of a run.
  const bool takes_settings =
      absl::StrContains(help.example, "--set=") ||
      std::any_of(flags.begin(), flags.end(),
                  [](const auto* flag) { return flag->Name() == "config"; });
  for (const FlagGroup& group : FlagGroups()) {
    AppendGroup(group, flags, takes_settings, text);
  }
  absl::StrAppend(&text, "\nEvery program:\n");
  AppendFlag("help", "This text.", text);
  AppendFlag("version", "The version.", text);
  return text;
}

}  // namespace xla_byol
