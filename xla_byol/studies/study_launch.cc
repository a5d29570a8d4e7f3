#include "xla_byol/studies/study_launch.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/studies/child_process.h"
#include "xla_byol/studies/results.h"

namespace xla_byol {
namespace {

// As one word of a shell.
std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// A name that Kubernetes takes: letters, digits and dashes, 63 at most.
std::string KubernetesName(absl::string_view study, absl::string_view run) {
  std::string name = absl::AsciiStrToLower(absl::StrCat(study, "-", run));
  for (char& c : name) {
    if (!absl::ascii_isalnum(c)) c = '-';
  }
  // JobSet adds its own endings; what tells runs apart stands at the end.
  constexpr size_t kLongest = 45;
  if (name.size() > kLongest) name = name.substr(name.size() - kLongest);
  const size_t first = name.find_first_not_of('-');
  return name.substr(first);
}

}  // namespace

absl::StatusOr<std::string> SlurmScript(const Study& study,
                                        absl::Span<const StudyRun> runs,
                                        const StudyOptions& options) {
  std::string script = absl::StrCat(
      "#!/bin/bash\n#SBATCH --job-name=", study.name(), "\n#SBATCH --array=0-",
      runs.size() - 1, "%", options.jobs,
      "\n#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --output=",
      JoinPath(options.study_dir, "slurm-%a.txt"),
      "\n# Two minutes before the time is over: train saves its state and ends "
      "with 75.\n#SBATCH --signal=TERM@120\n\nruns=(\n");
  for (const StudyRun& run : runs) {
    RETURN_IF_ERROR(PrepareRun(run, options).status());
    absl::StrAppend(&script, "  ", Quoted(run.name), "\n");
  }
  std::vector<std::string> flags;
  for (const std::string& flag : options.train_flags) {
    flags.push_back(Quoted(flag));
  }
  absl::StrAppend(
      &script, ")\nrun=\"${runs[$SLURM_ARRAY_TASK_ID]}\"\nstudy=",
      Quoted(options.study_dir), "\n\nsrun ", Quoted(options.train),
      " --config=\"$study/configs/$run.textproto\" "
      "--run_dir=\"$study/runs/$run\"",
      flags.empty() ? "" : " ", absl::StrJoin(flags, " "),
      "\ncode=$?\nif [ $code = 75 ]; then scontrol requeue "
      "\"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\"; fi\nexit $code\n");
  return script;
}

absl::StatusOr<std::string> JobSetManifests(const Study& study,
                                            absl::Span<const StudyRun> runs,
                                            const StudyOptions& options,
                                            const JobSetOptions& jobset) {
  std::vector<std::string> manifests;
  for (const StudyRun& run : runs) {
    RETURN_IF_ERROR(PrepareRun(run, options).status());
    const std::string folder = absl::StrCat("studies/", study.name());
    std::vector<std::string> arguments = {
        jobset.tool,
        absl::StrCat("--name=", KubernetesName(study.name(), run.name)),
        absl::StrCat("--topology=", jobset.topology),
        absl::StrCat("--image=", jobset.image),
        absl::StrCat("--bucket=", jobset.bucket),
        absl::StrCat("--config=/bucket/", folder, "/configs/", run.name,
                     ".textproto"),
        absl::StrCat("--run=", folder, "/runs/", run.name),
        "--"};
    arguments.insert(arguments.end(), options.train_flags.begin(),
                     options.train_flags.end());
    ASSIGN_OR_RETURN(const std::string manifest, OutputOf(arguments));
    manifests.push_back(manifest);
  }
  return absl::StrCat(
      "{\"apiVersion\": \"v1\", \"kind\": \"List\", "
      "\"items\": [\n",
      absl::StrJoin(manifests, ","), "]}\n");
}

}  // namespace xla_byol
