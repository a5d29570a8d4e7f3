#include "xla_byol/training/trainer.h"

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/progress.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/checkpoint_store.h"
#include "xla_byol/checkpoint/run_directory.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/distributed/sockets.h"
#include "xla_byol/eval/evaluator.h"
#include "xla_byol/eval/feature_details.h"
#include "xla_byol/metrics/metrics_log.h"
#include "xla_byol/metrics/metrics_record.h"
#include "xla_byol/pjrt/platform.h"
#include "xla_byol/reporting/feature_details_file.h"
#include "xla_byol/reporting/report.h"
#include "xla_byol/reporting/samples.h"
#include "xla_byol/runtime/device_program.h"
#include "xla_byol/runtime/stop_signal.h"
#include "xla_byol/step/state.h"
#include "xla_byol/step/train_step.h"
#include "xla_byol/training/agreement.h"
#include "xla_byol/training/session_times.h"
#include "xla_byol/training/training_data.h"
#include "xla_byol/training/training_loop.h"

namespace xla_byol {
namespace {

// The host, and which of its processes.
std::string ProfileName(const ProcessPlace& place) {
  const std::string host = distributed::HostName();
  return place.processes == 1 ? host : absl::StrCat(host, "_", place.process);
}

// Everything of one call of Train, in the order in which it is made.
class Session {
 public:
  Session(const Runtime& runtime, const Config& config,
          const TrainOptions& options)
      : runtime_(runtime),
        config_(config),
        options_(options),
        run_dir_(options.run_dir),
        place_(runtime.place()) {}

  absl::Status Prepare();
  absl::Status Train();

 private:
  absl::StatusOr<DeviceProgram> CompileStep(bool diagnostics) const;
  absl::Status CompileSteps();
  absl::Status Restore();
  void WriteSamples();
  absl::Status Conclude();
  // The final evaluation, as a record; its time is part of the session's.
  absl::StatusOr<MetricsRecord> EvaluateAtEnd(
      std::optional<FeatureDetails>& details);
  // What a run that a signal ended says.
  absl::Status Stopped(int64_t total) const;
  void WriteSession();

  const Runtime runtime_;
  const Config& config_;
  const TrainOptions& options_;
  const std::string& run_dir_;
  const ProcessPlace place_;

  std::optional<EvaluationData> data_;
  std::vector<StateTensor> layout_;
  std::unique_ptr<CheckpointStore> checkpoints_;
  std::optional<DeviceProgram> step_;
  std::optional<DeviceProgram> diagnostic_step_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<MetricsLog> metrics_;
  std::unique_ptr<input::Loader> loader_;
  std::unique_ptr<profiling::StepProfiler> profiler_;  // null: none
  std::unique_ptr<TrainingLoop> loop_;
  SessionTimes times_;
};

absl::StatusOr<DeviceProgram> Session::CompileStep(bool diagnostics) const {
  const ProgramOptions options = runtime_.program_options();
  ASSIGN_OR_RETURN(NamedProgram program,
                   BuildTrainStep(config_, {.replicas = options.replicas,
                                            .backend = options.backend,
                                            .processes = place_.processes,
                                            .diagnostics = diagnostics}));
  if (!diagnostics && !options_.executable.empty()) {
    return DeviceProgram::Load(runtime_, std::move(program),
                               options_.executable);
  }
  return DeviceProgram::Compile(runtime_, std::move(program));
}

absl::Status Session::CompileSteps() {
  Phase phase("compiling the step");
  // Side by side: both take about as long, and neither uses all cores.
  std::future<absl::StatusOr<DeviceProgram>> diagnostics;
  if (config_.recording().diagnostics_interval() > 0) {
    diagnostics = std::async(std::launch::async, [this] {
      return CompileStep(/*diagnostics=*/true);
    });
  }
  absl::StatusOr<DeviceProgram> step = CompileStep(/*diagnostics=*/false);
  if (diagnostics.valid()) {
    ASSIGN_OR_RETURN(diagnostic_step_, diagnostics.get());
  }
  ASSIGN_OR_RETURN(step_, std::move(step));
  std::vector<std::string> notes;
  if (!options_.executable.empty()) {
    notes.push_back("from --executable");
  } else {
    if (step_->from_cache()) notes.push_back("from the cache");
    if (const std::string convolutions = runtime_.convolutions();
        !convolutions.empty()) {
      notes.push_back(absl::StrCat("convolutions: ", convolutions));
    }
  }
  phase.SetNote(absl::StrJoin(notes, ", "));
  times_.compile_s = phase.seconds();
  return absl::OkStatus();
}

absl::Status Session::Prepare() {
  ASSIGN_OR_RETURN(data_, OpenEvaluationData(config_, options_.data_dir));
  RETURN_IF_ERROR(CheckDataset(config_, data_->train));
  ASSIGN_OR_RETURN(layout_, StateLayout(config_));
  checkpoints_ = std::make_unique<CheckpointStore>(
      JoinPath(run_dir_, kCheckpointsFolder), layout_,
      CheckpointPolicy{.keep_last = config_.recording().keep_checkpoints(),
                       .keep_every = config_.recording().keep_every()});
  ASSIGN_OR_RETURN(evaluator_, Evaluator::Create(runtime_, config_, *data_));
  RETURN_IF_ERROR(CompileSteps());
  RETURN_IF_ERROR(CheckSameRun(options_.processes, config_, data_->train,
                               step_->program().program.text));
  return Restore();
}

absl::Status Session::Restore() {
  Phase phase("preparing the state");
  std::optional<Checkpoint> checkpoint;
  if (place_.writes_files()) {
    ASSIGN_OR_RETURN(checkpoint, checkpoints_->TakeNewest());
  } else if (absl::StatusOr<Checkpoint> read = checkpoints_->ReadNewest();
             read.ok() || !absl::IsNotFound(read.status())) {
    // Others may read while process 0 sets a damaged one aside; the step
    // notices if they end up with different ones.
    RETURN_IF_ERROR(read.status());
    checkpoint = *std::move(read);
  }
  if (!checkpoint.has_value()) {
    checkpoint.emplace();
    for (const StateTensor& tensor : layout_) {
      std::vector<float>& values = checkpoint->values.emplace_back(
          static_cast<size_t>(tensor.shape.elements()));
      InitializeState(tensor, config_.seed(), absl::MakeSpan(values));
    }
    phase.SetNote("new weights");
  } else {
    phase.SetNote(absl::StrCat("resuming after step ", checkpoint->step));
  }
  RETURN_IF_ERROR(CheckSameCheckpoint(options_.processes, *checkpoint));
  if (place_.writes_files()) {
    ASSIGN_OR_RETURN(metrics_, MetricsLog::Open(run_dir_, checkpoint->step));
  }
  ASSIGN_OR_RETURN(
      loader_, MakeTrainingLoader(config_, data_->train, place_,
                                  options_.reader_threads, checkpoint->step));
  if (options_.profile.has_value()) {
    profiler_ = std::make_unique<profiling::StepProfiler>(
        runtime_.client->plugin(), *options_.profile, run_dir_,
        ProfileName(place_));
  }
  const LoopParts parts = {
      .config = &config_,
      .layout = &layout_,
      .runtime = &runtime_,
      .step = &*step_,
      .diagnostic_step =
          diagnostic_step_.has_value() ? &*diagnostic_step_ : nullptr,
      .loader = loader_.get(),
      .metrics = metrics_.get(),
      .checkpoints = place_.writes_files() ? checkpoints_.get() : nullptr,
      .evaluator = evaluator_.get(),
      .processes = options_.processes,
      .profiler = profiler_.get()};
  ASSIGN_OR_RETURN(
      loop_, TrainingLoop::Create(parts, checkpoint->step, checkpoint->values));
  times_.restore_s = phase.seconds();
  return absl::OkStatus();
}

void Session::WriteSamples() {
  const auto draw = [this]() -> absl::StatusOr<MetricImage> {
    // The first rows do not depend on the batch, which may be gigabytes.
    Config few = config_;
    few.mutable_schedule()->set_batch_size(
        std::min<int64_t>(kSampleImages, config_.schedule().batch_size()));
    ASSIGN_OR_RETURN(const auto loader,
                     MakeTrainingLoader(few, data_->train, {}, /*threads=*/1,
                                        /*first_step=*/0));
    ASSIGN_OR_RETURN(const input::Loader::Batch batch, loader->Next());
    return DrawSamples(runtime_, config_, *batch);
  };
  absl::StatusOr<MetricImage> image = draw();
  if (!image.ok()) {
    LogWarning(absl::StrCat("no picture of the augmented images: ",
                            image.status().message()));
    return;
  }
  metrics_->Write(
      {.kind = "samples", .step = 0, .images = {*std::move(image)}});
}

absl::Status Session::Train() {
  const int64_t total = TotalSteps(config_);
  if (metrics_ != nullptr && metrics_->resumes()) {
    metrics_->Write({.kind = kResume, .step = loop_->finished()});
  }
  if (loop_->finished() == 0 && metrics_ != nullptr) WriteSamples();
  if (loop_->finished() < total) {
    const absl::StatusOr<LoopEnd> end = loop_->Run();
    times_.loop = loop_->times();
    if (!end.ok() || *end == LoopEnd::kStopped) WriteSession();
    RETURN_IF_ERROR(end.status());
    if (*end == LoopEnd::kStopped) return Stopped(total);
  } else {
    LogInfo(absl::StrCat("all ", total, " steps are done"));
  }
  return Conclude();
}

absl::Status Session::Stopped(int64_t total) const {
  const int64_t step = loop_->finished();
  std::string said = absl::StrCat("stopped after step ", step, " of ", total);
  if (const int64_t saved = checkpoints_->last_good_step();
      place_.writes_files() && step > 0 && saved != step) {
    absl::StrAppend(&said,
                    ", which could not be saved; the same command "
                    "resumes after step ",
                    std::max<int64_t>(saved, 0));
  } else {
    absl::StrAppend(&said, "; run the same command to resume");
  }
  return absl::CancelledError(said);
}

void Session::WriteSession() {
  if (metrics_ == nullptr) return;
  metrics_->Write(SessionRecord(times_, loop_->finished()));
  LogInfo(Summary(times_));
}

absl::StatusOr<MetricsRecord> Session::EvaluateAtEnd(
    std::optional<FeatureDetails>& details) {
  const absl::Time start = absl::Now();
  const absl::Cleanup measure = [&] {
    times_.final_evaluation_s = absl::ToDoubleSeconds(absl::Now() - start);
  };
  ASSIGN_OR_RETURN(const StateValues values, loop_->ReadState());
  const EvaluationKind kind = config_.evaluation().linear_at_end()
                                  ? EvaluationKind::kFull
                                  : EvaluationKind::kQuick;
  ASSIGN_OR_RETURN(EvaluationResult result,
                   evaluator_->Evaluate(layout_, values, kind));
  LogInfo(result.Summary());
  ASSIGN_OR_RETURN(const Baselines baselines,
                   evaluator_->EvaluateBaselines(layout_, kind));
  if (!baselines.empty()) LogInfo(BaselineSummary(baselines));
  MetricsRecord record = result.Record(config_, loop_->finished());
  record.values.insert(record.values.end(), baselines.begin(), baselines.end());
  details = std::move(result.details);
  return record;
}

absl::Status Session::Conclude() {
  // What was measured is written even if a signal ends the evaluation, and of
  // several processes none leaves the others in its middle.
  const HoldStopSignals hold;
  const int64_t step = loop_->finished();
  std::optional<FeatureDetails> details;
  const absl::StatusOr<MetricsRecord> record = EvaluateAtEnd(details);
  // A run that was complete is evaluated again, but no longer for that.
  const bool is_new = metrics_ != nullptr && metrics_->evaluated_step() != step;
  if (is_new && record.ok()) metrics_->Write(*record);
  if (is_new) WriteSession();
  RETURN_IF_ERROR(record.status());
  if (!place_.writes_files()) return absl::OkStatus();
  const std::string report = JoinPath(run_dir_, kReportFile);
  const auto write = [&]() -> absl::Status {
    RETURN_IF_ERROR(WriteFileAtomically(EvaluationPath(run_dir_),
                                        absl::StrCat(ToJson(*record), "\n")));
    if (details.has_value()) {
      RETURN_IF_ERROR(WriteFeatureDetails(*details, step, run_dir_));
    }
    return WriteReport({run_dir_}, report);
  };
  // A full disk takes neither, but what was measured has been said.
  if (const absl::Status written = write(); written.ok()) {
    LogInfo(absl::StrCat("report: ", report));
  } else {
    LogWarning(written.message());
  }
  if (checkpoints_->last_good_step() != step) {
    return absl::UnavailableError(absl::StrCat(
        "the run is complete but its last checkpoint could not be saved in '",
        JoinPath(run_dir_, kCheckpointsFolder),
        "'; make room and run the same command"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Train(const Runtime& runtime, const Config& config,
                   const TrainOptions& options) {
  const pjrt::Client& client = *runtime.client;
  std::optional<RunDirectory> run;
  if (runtime.place().writes_files()) {
    ASSIGN_OR_RETURN(run, RunDirectory::Lock(options.run_dir));
    RETURN_IF_ERROR(run->TakeConfig(config, options.branch));
  }
  LogInfo(absl::StrFormat(
      "training %s on %d %s device%s in '%s'", config.name(),
      client.global_device_count(), pjrt::Info(client.plugin().platform()).name,
      client.global_device_count() == 1 ? "" : "s", options.run_dir));
  Session session(runtime, config, options);
  RETURN_IF_ERROR(session.Prepare());
  return session.Train();
}

}  // namespace xla_byol
