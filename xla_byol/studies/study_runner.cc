#include "xla_byol/studies/study_runner.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <deque>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/config/config.h"
#include "xla_byol/runtime/stop_signal.h"
#include "xla_byol/studies/child_process.h"
#include "xla_byol/studies/result_table.h"
#include "xla_byol/studies/shared_runs.h"
#include "xla_byol/studies/study_page.h"
#include "xla_byol/studies/study_status.h"

namespace xla_byol {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(200);
// A `train` of a study that was killed may take a moment to die.
constexpr absl::Duration kLockPatience = absl::Seconds(10);

std::string ConsolePath(const std::string& run_dir) {
  return JoinPath(run_dir, "console.txt");
}

// The last words of a run that failed.
std::string LastLine(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return std::string(text.status().message());
  const std::vector<std::string> lines =
      absl::StrSplit(absl::StripTrailingAsciiWhitespace(*text), '\n');
  return lines.back();
}

void WaitForLock(const std::string& run_dir) {
  const std::string path = JoinPath(run_dir, kLockFile);
  const absl::Time end = absl::Now() + kLockPatience;
  while (absl::Now() < end) {
    const int lock = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (lock < 0) return;
    const bool free = flock(lock, LOCK_EX | LOCK_NB) == 0;
    close(lock);
    if (free) return;
    absl::SleepFor(kPollInterval);
  }
}

std::string ProgramOf(Config config) {
  config.clear_name();
  config.clear_seed();
  return config.SerializeAsString();
}

class Runner {
 public:
  Runner(const StudyPlan& plan, const StudyOptions& options)
      : plan_(plan), options_(options) {}

  absl::Status Run(absl::Span<const StudyRun> chosen);

 private:
  // Its program is all of the config but name and seed.
  struct Waiting {
    const StudyRun* run;
    std::string program;
  };
  struct Job {
    const StudyRun* run;
    std::string program;
    ChildProcess process;
  };
  struct Failure {
    std::string run, words;
  };

  // results.jsonl and the page as of now.
  absl::Status Collect();
  Waiting TakeNext();
  // Trains it, or takes it from another study.
  absl::Status Start(const Waiting& next);
  absl::Status Poll();
  void Completed(const StudyRun& run);
  void Failed(const StudyRun& run);
  std::string DescribeFailures() const;
  void Show();

  const StudyPlan& plan_;
  const StudyOptions& options_;
  int planned_ = 0;
  int done_ = 0;
  bool stopping_ = false;
  std::deque<Waiting> waiting_;
  std::vector<Job> jobs_;
  std::vector<Failure> failures_;
  std::vector<StudyResult> results_;
  StudyConsole console_;
};

absl::Status Runner::Collect() {
  ASSIGN_OR_RETURN(results_, CollectResults(options_.study_dir, plan_));
  return WriteStudyPage(plan_, results_, options_.study_dir);
}

// The first one, unless another seed of it is being trained: once that one has
// compiled its program, it is in the cache for both.
Runner::Waiting Runner::TakeNext() {
  auto next = absl::c_find_if(waiting_, [this](const Waiting& one) {
    return absl::c_none_of(
        jobs_, [&one](const Job& job) { return job.program == one.program; });
  });
  if (next == waiting_.end()) next = waiting_.begin();
  Waiting taken = std::move(*next);
  waiting_.erase(next);
  return taken;
}

absl::Status Runner::Start(const Waiting& next) {
  const StudyRun& run = *next.run;
  const std::string run_dir = RunDirectoryOf(options_.study_dir, run);
  ASSIGN_OR_RETURN(const std::string other,
                   TakeSharedRun(options_.reuse, options_.study_dir, run,
                                 options_.provenance));
  if (!other.empty()) {
    RETURN_IF_ERROR(Collect());
    Completed(run);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> arguments,
                   PrepareRun(run, options_));
  WaitForLock(run_dir);
  ASSIGN_OR_RETURN(ChildProcess process,
                   ChildProcess::Start(arguments, ConsolePath(run_dir)));
  jobs_.push_back({&run, next.program, std::move(process)});
  return absl::OkStatus();
}

void Runner::Completed(const StudyRun& run) {
  console_.Clear();
  ++done_;
  for (const StudyResult& result : results_) {
    if (result.run != run.name) continue;
    const std::string from =
        result.taken_from.empty()
            ? ""
            : absl::StrCat(", taken from ", result.taken_from);
    LogInfo(absl::StrCat(run.name, ": linear probe ",
                         100 * result.Measure("linear_top1"), " %, k-NN ",
                         100 * result.Measure("knn_top1"), " %", from));
  }
}

void Runner::Failed(const StudyRun& run) {
  console_.Clear();
  failures_.push_back({run.name, LastLine(ConsolePath(RunDirectoryOf(
                                     options_.study_dir, run)))});
  LogWarning(absl::StrCat("failed: ", run.name, ": ", failures_.back().words));
}

std::string Runner::DescribeFailures() const {
  // What all runs lack is said once.
  std::vector<std::string> described;
  for (const Failure& failure : failures_) {
    const auto same = [&](const Failure& other) {
      return other.words == failure.words;
    };
    if (&*absl::c_find_if(failures_, same) != &failure) continue;
    const auto more = absl::c_count_if(failures_, same) - 1;
    described.push_back(absl::StrCat(
        failure.run, more > 0 ? absl::StrCat(" and ", more, " more") : "", ": ",
        failure.words));
  }
  return absl::StrJoin(described, "; ");
}

absl::Status Runner::Poll() {
  for (size_t i = 0; i < jobs_.size();) {
    const std::optional<int> code = jobs_[i].process.Poll();
    if (!code.has_value()) {
      ++i;
      continue;
    }
    const StudyRun& run = *jobs_[i].run;
    jobs_.erase(jobs_.begin() + static_cast<ptrdiff_t>(i));
    if (*code == 0) {
      RETURN_IF_ERROR(Collect());
      Completed(run);
    } else if (!stopping_) {
      Failed(run);
    }
  }
  return absl::OkStatus();
}

void Runner::Show() {
  StudyStatus status;
  status.study = plan_.study.name();
  status.planned = planned_;
  status.complete = done_;
  status.failed = static_cast<int>(failures_.size());
  status.jobs = options_.jobs;
  status.seconds_per_run = SecondsPerRun(plan_.study, results_);
  for (const Job& job : jobs_) {
    status.running.push_back(ReadProgress(options_.study_dir, *job.run));
  }
  std::string table;
  if (plan_.study.table_size() > 0) {
    table = TableText(MakeTable(plan_, plan_.study.table(0), results_));
  }
  console_.Update(status, table, absl::Now());
}

absl::Status Runner::Run(absl::Span<const StudyRun> chosen) {
  const HoldStopSignals hold;
  planned_ = static_cast<int>(chosen.size());
  for (const StudyRun& run : chosen) {
    ASSIGN_OR_RETURN(
        const std::optional<StudyResult> result,
        ReadFinishedRun(options_.study_dir, plan_.study.name(), run));
    if (result.has_value()) {
      ++done_;
    } else {
      waiting_.push_back({&run, ProgramOf(run.config)});
    }
  }
  RETURN_IF_ERROR(Collect());
  while (!jobs_.empty() || (!waiting_.empty() && !stopping_)) {
    if (StopRequested() && !stopping_) {
      stopping_ = true;
      for (const Job& job : jobs_) job.process.Signal(SIGTERM);
    }
    while (!stopping_ && !waiting_.empty() &&
           static_cast<int>(jobs_.size()) < options_.jobs) {
      RETURN_IF_ERROR(Start(TakeNext()));
    }
    Show();
    absl::SleepFor(kPollInterval);
    RETURN_IF_ERROR(Poll());
  }
  console_.Clear();
  if (stopping_ && done_ < planned_) {
    return absl::CancelledError(
        absl::StrCat("stopped with ", done_, " of ", planned_,
                     " runs complete; the same command goes on"));
  }
  if (failures_.empty()) return absl::OkStatus();
  return absl::UnknownError(absl::StrCat(failures_.size(), " of ", planned_,
                                         " runs failed: ", DescribeFailures()));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> PrepareRun(
    const StudyRun& run, const StudyOptions& options) {
  const std::string run_dir = RunDirectoryOf(options.study_dir, run);
  const std::string configs = JoinPath(options.study_dir, "configs");
  const std::string config =
      JoinPath(configs, absl::StrCat(run.name, ".textproto"));
  RETURN_IF_ERROR(MakeDirectories(configs));
  RETURN_IF_ERROR(WriteFileAtomically(config, FormatConfig(run.config)));
  RETURN_IF_ERROR(WriteProvenance(run_dir, options.provenance));
  std::vector<std::string> arguments = {options.train,
                                        absl::StrCat("--config=", config),
                                        absl::StrCat("--run_dir=", run_dir)};
  arguments.insert(arguments.end(), options.train_flags.begin(),
                   options.train_flags.end());
  return arguments;
}

absl::Status RunStudy(const StudyPlan& plan, absl::Span<const StudyRun> chosen,
                      const StudyOptions& options) {
  if (!options.reuse.empty() && !NamesOneProgram(options.provenance.commit)) {
    LogWarning(absl::StrCat(
        "no run of another study is taken: commit ", options.provenance.commit,
        " has changes on top, so nobody knows whether it is the same program"));
  }
  return Runner(plan, options).Run(chosen);
}

}  // namespace xla_byol
