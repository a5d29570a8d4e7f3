#include "xla_byol/cli/study_command.h"

#include <cstdlib>
#include <iostream>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/base/version.h"
#include "xla_byol/cli/device_flags.h"
#include "xla_byol/pjrt/platform.h"
#include "xla_byol/pjrt/plugin.h"
#include "xla_byol/pjrt/plugin_search.h"
#include "xla_byol/runtime/stop_signal.h"
#include "xla_byol/studies/child_process.h"
#include "xla_byol/studies/result_table.h"
#include "xla_byol/studies/results.h"
#include "xla_byol/studies/study_cost.h"
#include "xla_byol/studies/study_launch.h"
#include "xla_byol/studies/study_page.h"
#include "xla_byol/studies/study_plan.h"
#include "xla_byol/studies/study_runner.h"

ABSL_DECLARE_FLAG(std::string, executable_cache);

namespace xla_byol {
namespace {

// The commit that is checked out where the user stands; the version if that is
// no repository.
std::string CommitHere() {
  const std::string here = ResolveUserPath(".");
  // Without git, or outside of a repository, its complaint is not ours.
  const absl::StatusOr<std::string> commit = OutputOf(
      {"/bin/sh", "-c",
       "git -C \"$0\" describe --always --dirty --abbrev=12 --exclude='*' "
       "2>/dev/null",
       here});
  if (!commit.ok()) return absl::StrCat("version ", kVersion);
  return std::string(absl::StripAsciiWhitespace(*commit));
}

absl::StatusOr<std::string> PluginName() {
  ASSIGN_OR_RETURN(const pjrt::Plugin* plugin, PluginFromFlags());
  return absl::StrCat(pjrt::Info(plugin->platform()).name, ", PJRT ",
                      plugin->api_version(), ", XLA ",
                      plugin->attribute("xla_version"));
}

// Flags of ours that train has too, and that its results depend on.
std::vector<std::string> TrainFlags(const StudyFlags& flags) {
  std::vector<std::string> passed;
  const auto pass = [&passed](const char* name, const std::string& value) {
    if (!value.empty()) passed.push_back(absl::StrCat("--", name, "=", value));
  };
  pass("data_dir", flags.data_dir);
  const std::string plugin = absl::GetFlag(FLAGS_plugin);
  pass("plugin", plugin.empty() ? plugin : ResolveUserPath(plugin));
  if (absl::GetFlag(FLAGS_devices) != 0) {
    pass("devices", absl::StrCat(absl::GetFlag(FLAGS_devices)));
  }
  return passed;
}

StudyOptions OptionsOf(const StudyFlags& flags, const std::string& study_dir) {
  StudyOptions options;
  options.study_dir = study_dir;
  options.train = pjrt::FindRunfile("xla_byol/train");
  options.train_flags = TrainFlags(flags);
  options.jobs = flags.jobs;
  if (!flags.reuse.empty()) options.reuse = ResolveUserPath(flags.reuse);
  options.provenance.commit = CommitHere();
  options.provenance.flags = absl::StrJoin(options.train_flags, " ");
  // The plugin's name tells the platform already, and a cache changes nothing.
  options.train_flags.push_back(
      absl::StrCat("--platform=", absl::GetFlag(FLAGS_platform)));
  options.train_flags.push_back(
      absl::StrCat("--executable_cache=", ExecutableCacheDirectory()));
  return options;
}

void PrintTables(const StudyPlan& plan, absl::Span<const StudyResult> results,
                 bool markdown) {
  for (const ResultTable& table : MakeTables(plan, results)) {
    std::cout << (markdown ? TableMarkdown(table) : TableText(table)) << "\n";
  }
}

// Tables and page of results that someone else may have made.
absl::Status LayOut(const StudyPlan& plan, const StudyFlags& flags,
                    const std::string& study_dir) {
  const std::string path = ResolveUserPath(flags.results);
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  ASSIGN_OR_RETURN(const std::vector<StudyResult> results,
                   ParseResults(text, path));
  PrintTables(plan, results, flags.markdown);
  const absl::string_view stem = absl::StripSuffix(path, kResultsFile);
  const absl::StatusOr<std::string> figures =
      ReadFile(absl::StrCat(stem, kFiguresFile));
  const std::string page = JoinPath(study_dir, kStudyPageFile);
  RETURN_IF_ERROR(MakeDirectories(study_dir));
  RETURN_IF_ERROR(WriteFileAtomically(
      page, StudyPage(plan, results, figures.ok() ? *figures : "")));
  LogInfo(absl::StrCat("wrote ", page));
  return absl::OkStatus();
}

absl::Status DryRun(const StudyPlan& plan, absl::Span<const StudyRun> chosen,
                    const StudyFlags& flags, const std::string& study_dir) {
  std::vector<StudyResult> results;
  for (const StudyRun& run : plan.runs) {
    ASSIGN_OR_RETURN(std::optional<StudyResult> result,
                     ReadFinishedRun(study_dir, plan.study.name(), run));
    if (result.has_value()) results.push_back(*std::move(result));
  }
  std::vector<Cost> costs(plan.study.cost().begin(), plan.study.cost().end());
  if (!flags.scaling.empty()) {
    const std::string path = ResolveUserPath(flags.scaling);
    ASSIGN_OR_RETURN(const std::string csv, ReadFile(path));
    ASSIGN_OR_RETURN(costs, ReadScalingCosts(csv, path));
  }
  std::cout << DescribeCost(plan, chosen, results, costs, flags.jobs);
  for (const StudyRun& run : chosen) std::cout << "  " << run.name << "\n";
  return absl::OkStatus();
}

absl::Status Launch(const Study& study, absl::Span<const StudyRun> chosen,
                    const StudyFlags& flags, const StudyOptions& options) {
  if (flags.on == "slurm") {
    ASSIGN_OR_RETURN(const std::string script,
                     SlurmScript(study, chosen, options));
    std::cout << script;
    return absl::OkStatus();
  }
  if (flags.topology.empty() || flags.image.empty() || flags.bucket.empty()) {
    return absl::InvalidArgumentError(
        "--on=jobset needs --topology, --image and --bucket");
  }
  ASSIGN_OR_RETURN(
      const std::string manifests,
      JobSetManifests(study, chosen, options,
                      {.tool = pjrt::FindRunfile("tools/tpu/jobset"),
                       .topology = flags.topology,
                       .image = flags.image,
                       .bucket = flags.bucket}));
  std::cout << manifests;
  LogInfo(absl::StrCat("copy '", options.study_dir, "' to studies/",
                       study.name(), " in the bucket before you apply them"));
  return absl::OkStatus();
}

absl::Status CheckFlags(const StudyFlags& flags) {
  if (flags.config.empty()) {
    return absl::InvalidArgumentError(
        "which study? Give --config=configs/studies/NAME.textproto");
  }
  if (flags.jobs < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--jobs=", flags.jobs, ": it must be 1 or more"));
  }
  if (!flags.on.empty() && flags.on != "slurm" && flags.on != "jobset") {
    return absl::InvalidArgumentError(
        absl::StrCat("--on=", flags.on, ": use slurm or jobset"));
  }
  if (!flags.on.empty() && !flags.reuse.empty()) {
    return absl::InvalidArgumentError(
        "--reuse is for runs that are trained here, not with --on");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status StudyCommand(const CommandLine& line, const StudyFlags& flags) {
  CatchStopSignals(kExitResumable);
  RETURN_IF_ERROR(CheckFlags(flags));
  ASSIGN_OR_RETURN(const StudyPlan plan,
                   ReadStudy(ResolveUserPath(flags.config), line.assignments));
  ASSIGN_OR_RETURN(const std::vector<StudyRun> chosen,
                   SelectRuns(plan.runs, flags.only));
  const std::string study_dir = ResolveUserPath(
      flags.study_dir.empty() ? JoinPath("runs/studies", plan.study.name())
                              : flags.study_dir);
  if (!flags.results.empty()) return LayOut(plan, flags, study_dir);
  if (flags.dry_run) return DryRun(plan, chosen, flags, study_dir);
  StudyOptions options = OptionsOf(flags, study_dir);
  if (!flags.on.empty()) {
    options.provenance.plugin = absl::GetFlag(FLAGS_platform);
    return Launch(plan.study, chosen, flags, options);
  }
  ASSIGN_OR_RETURN(options.provenance.plugin, PluginName());
  RETURN_IF_ERROR(RunStudy(plan, chosen, options));
  ASSIGN_OR_RETURN(const std::vector<StudyResult> results,
                   CollectResults(study_dir, plan));
  PrintTables(plan, results, flags.markdown);
  LogInfo(absl::StrCat("results: ", JoinPath(study_dir, kResultsFile), ", ",
                       JoinPath(study_dir, kStudyPageFile)));
  return absl::OkStatus();
}

}  // namespace xla_byol
