#include "xla_byol/training/training_loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/runtime/stop_signal.h"
#include "xla_byol/step/spectrum.h"

namespace xla_byol {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double SecondsSince(absl::Time start) {
  return absl::ToDoubleSeconds(absl::Now() - start);
}

// For the eye: a small batch's accuracy jumps too much to be read.
double Smoothed(double before, double now) {
  return std::isfinite(before) ? before + 0.05 * (now - before) : now;
}

std::vector<HostBatch> HostBatches(const input::BatchBuffer& batch) {
  const input::BatchLayout& layout = batch.layout();
  const size_t rows = static_cast<size_t>(layout.device_rows);
  const size_t bytes = rows * static_cast<size_t>(layout.image_bytes());
  std::vector<HostBatch> batches;
  for (int device = 0; device < layout.devices; ++device) {
    batches.push_back({{batch.pixels(0, device), bytes},
                       {batch.pixels(1, device), bytes},
                       {batch.labels(device), rows},
                       {batch.draws(0, device), rows * kAugmentationDraws},
                       {batch.draws(1, device), rows * kAugmentationDraws}});
  }
  return batches;
}

// The first metrics of every step, with diagnostics or without.
size_t PlainMetrics(const StepProgram& step) {
  return step.outputs.size() - static_cast<size_t>(step.state_tensors);
}

void AddSpectrum(const StepReports& reports, MetricsRecord& record) {
  const absl::StatusOr<std::vector<float>> covariance =
      reports.ReadDiagnostic("latent_covariance");
  if (!covariance.ok()) return;
  const Spectrum spectrum = SpectrumOf(*covariance);
  record.values.emplace_back("spectrum_q25", spectrum.quantile25);
  record.values.emplace_back("spectrum_q50", spectrum.quantile50);
  record.values.emplace_back("spectrum_q75", spectrum.quantile75);
  record.values.emplace_back("spectrum_largest", spectrum.largest);
  Histogram histogram{.name = "spectrum"};
  for (int i = 0; i <= Spectrum::kBins; ++i) {
    histogram.edges.push_back(static_cast<double>(i) / Spectrum::kBins);
  }
  histogram.counts.assign(spectrum.histogram.begin(), spectrum.histogram.end());
  record.histograms.push_back(std::move(histogram));
}

}  // namespace

TrainingLoop::TrainingLoop(const LoopParts& parts, int64_t finished)
    : parts_(parts),
      total_steps_(TotalSteps(*parts.config)),
      plain_metrics_(PlainMetrics(parts.step->program())),
      runner_(*parts.runtime->client, parts.step->executable(),
              parts.step->program()),
      last_runner_(&runner_),
      finished_(finished),
      last_save_(absl::Now()),
      last_saved_step_(finished),
      rate_time_(absl::Now()),
      rate_step_(finished) {
  status_.total_steps = total_steps_;
  status_.epochs = parts.config->schedule().epochs();
  status_.probe_accuracy = kUnknown;
  status_.stable_rank = kUnknown;
  if (parts.diagnostic_step != nullptr) {
    diagnostic_runner_.emplace(*parts.runtime->client,
                               parts.diagnostic_step->executable(),
                               parts.diagnostic_step->program());
  }
}

absl::StatusOr<std::unique_ptr<TrainingLoop>> TrainingLoop::Create(
    const LoopParts& parts, int64_t finished, const StateValues& values) {
  auto loop = std::unique_ptr<TrainingLoop>(new TrainingLoop(parts, finished));
  RETURN_IF_ERROR(
      loop->runner_.WriteState([&](size_t i, absl::Span<float> place) {
        std::copy(values[i].begin(), values[i].end(), place.begin());
      }));
  return loop;
}

absl::StatusOr<LoopEnd> TrainingLoop::Run() {
  const HoldStopSignals hold;
  const absl::Time start = absl::Now();
  rate_time_ = start;
  std::optional<Ready> next;
  LoopEnd end = LoopEnd::kFinished;
  while (finished_ < total_steps_) {
    if (EvaluationDue()) RETURN_IF_ERROR(EvaluateNow());
    if (StopAgreed()) {
      end = LoopEnd::kStopped;
      break;
    }
    if (!next.has_value()) {
      ASSIGN_OR_RETURN(next, NextBatch());
    }
    RETURN_IF_ERROR(Enqueue(finished_, *std::move(next)));
    ++finished_;
    next.reset();
    // The next batch travels, and its step waits in line, while the metrics of
    // the step before are looked at: the device never waits for us.
    if (finished_ < total_steps_) {
      ASSIGN_OR_RETURN(next, NextBatch());
    }
    while (in_flight_.size() >= StopVote::kStepsInLine) {
      RETURN_IF_ERROR(FinishOldest());
    }
    if (CheckpointDue()) RETURN_IF_ERROR(Save());
  }
  RETURN_IF_ERROR(FinishAll());
  console_.Finish();
  if (parts_.checkpoints != nullptr) {
    if (finished_ != last_saved_step_) RETURN_IF_ERROR(Save());
    const absl::Status saved = parts_.checkpoints->Wait();
    // What the last step lost would have shown in the next one's loss.
    if (absl::IsFailedPrecondition(saved)) {
      return LostState(finished_ - 1);
    }
    if (!saved.ok() && end == LoopEnd::kFinished) {
      // The weights are still here, so evaluation can go on; the caller's exit
      // code tells.
      LogError("the final checkpoint was not saved");
    }
  }
  times_.training_s += SecondsSince(start);
  return end;
}

bool TrainingLoop::StopAgreed() {
  if (StopRequested()) vote_.Ask();
  return parts_.runtime->place().processes == 1 ? StopRequested()
                                                : vote_.EndsBefore(finished_);
}

bool TrainingLoop::HasDiagnostics(int64_t step) const {
  const int interval = parts_.config->recording().diagnostics_interval();
  return diagnostic_runner_.has_value() && step % interval == 0;
}

absl::StatusOr<TrainingLoop::Ready> TrainingLoop::NextBatch() {
  const absl::Time start = absl::Now();
  ASSIGN_OR_RETURN(input::Loader::Batch host, parts_.loader->Next());
  times_.data_wait_s += SecondsSince(start);
  ASSIGN_OR_RETURN(DeviceBatch device,
                   runner_.StartTransfer(HostBatches(*host)));
  return Ready{std::move(host), std::move(device)};
}

absl::Status TrainingLoop::Enqueue(int64_t step, Ready batch) {
  const bool diagnostics = HasDiagnostics(step);
  StepRunner* runner = diagnostics ? &*diagnostic_runner_ : &runner_;
  if (runner != last_runner_) runner->TakeState(*last_runner_);
  last_runner_ = runner;
  StepScalars scalars = ScalarsForStep(*parts_.config, step);
  scalars.stop = vote_.ballot();
  scalars.step = static_cast<float>(step);
  RETURN_IF_ERROR(runner->Run(std::move(batch.device), scalars));
  in_flight_.push_back(
      {step, std::move(batch.host), runner->TakeReports(), diagnostics});
  return absl::OkStatus();
}

absl::Status TrainingLoop::FinishOldest() {
  const InFlight done = std::move(in_flight_.front());
  in_flight_.pop_front();
  ASSIGN_OR_RETURN(const std::vector<float> metrics,
                   done.reports.ReadMetrics());
  return Report(done, metrics);
}

absl::Status TrainingLoop::FinishAll() {
  while (!in_flight_.empty()) RETURN_IF_ERROR(FinishOldest());
  return absl::OkStatus();
}

absl::Status TrainingLoop::Report(const InFlight& done,
                                  const std::vector<float>& metrics) {
  const int64_t finished = done.step + 1;
  MetricsRecord train{.kind = "train",
                      .step = finished,
                      .epoch = EpochsAfter(*parts_.config, finished)};
  MetricsRecord diagnostics{
      .kind = "diagnostics", .step = finished, .epoch = train.epoch};
  bool finite = true;
  for (size_t i = 0; i < metrics.size(); ++i) {
    const std::string& name = done.reports.metric_name(i);
    if (name == "finite") {
      finite = metrics[i] != 0;
      continue;
    }
    if (name == "stop") {
      vote_.Hear(done.step, metrics[i]);
      continue;
    }
    if (name == "step_spread") {
      RETURN_IF_ERROR(CheckSameStep(metrics[i], done.step));
      continue;
    }
    MetricsRecord& record = i < plain_metrics_ ? train : diagnostics;
    record.values.emplace_back(name, metrics[i]);
    if (name == "loss") status_.loss = metrics[i];
    if (name == "probe_accuracy") {
      status_.probe_accuracy = Smoothed(status_.probe_accuracy, metrics[i]);
    }
    if (name == "predictor_stable_rank") status_.stable_rank = metrics[i];
  }
  if (!finite || !std::isfinite(status_.loss)) {
    return LostState(done.step);
  }

  const int interval = parts_.config->recording().metrics_interval();
  const bool due = finished % interval == 0 || finished == total_steps_;
  const double elapsed = SecondsSince(rate_time_);
  if (due || elapsed > 1) {
    status_.step = finished;
    status_.epoch = train.epoch;
    status_.images_per_s = static_cast<double>(finished - rate_step_) *
                           parts_.config->schedule().batch_size() / elapsed;
    status_.data_wait_share = (times_.data_wait_s - rate_wait_s_) / elapsed;
    status_.left =
        absl::Seconds(elapsed / static_cast<double>(finished - rate_step_) *
                      static_cast<double>(total_steps_ - finished));
    console_.Update(status_);
  }
  if (due) {
    rate_time_ = absl::Now();
    rate_step_ = finished;
    rate_wait_s_ = times_.data_wait_s;
  }
  if (parts_.metrics == nullptr) return absl::OkStatus();
  if (due) {
    const StepScalars scalars = ScalarsForStep(*parts_.config, done.step);
    train.values.emplace_back("learning_rate", scalars.learning_rate);
    train.values.emplace_back("target_decay", scalars.target_decay);
    train.values.emplace_back("images_per_s", status_.images_per_s);
    train.values.emplace_back("data_wait_share", status_.data_wait_share);
    parts_.metrics->Write(std::move(train));
  }
  if (done.diagnostics) {
    AddSpectrum(done.reports, diagnostics);
    parts_.metrics->Write(std::move(diagnostics));
  }
  return absl::OkStatus();
}

absl::Status TrainingLoop::LostState(int64_t step) const {
  std::string tensors = "its state cannot be read";
  const absl::StatusOr<StateValues> values = ReadState();
  if (values.ok()) {
    const std::vector<size_t> lost = NotFinite(*values);
    tensors = lost.empty() ? "its state is finite"
                           : absl::StrCat(lost.size(), " of ", values->size(),
                                          " tensors are not finite, first '",
                                          (*parts_.layout)[lost[0]].path, "'");
  }
  const int64_t good =
      parts_.checkpoints == nullptr ? -1 : parts_.checkpoints->last_good_step();
  return absl::FailedPreconditionError(absl::StrCat(
      "training diverged in step ", step, ": the loss is ", status_.loss, ", ",
      tensors, "; ",
      good < 0 ? "there is no checkpoint before it"
               : absl::StrCat("the checkpoint of step ", good, " is intact"),
      "; a smaller optimizer.base_learning_rate or a larger predictor.ridge "
      "(with --branch) may help"));
}

bool TrainingLoop::CheckpointDue() const {
  if (parts_.checkpoints == nullptr || finished_ == last_saved_step_) {
    return false;
  }
  const Recording& recording = parts_.config->recording();
  // One that stays for good is worth waiting for the writer.
  if (recording.keep_every() > 0 && finished_ % recording.keep_every() == 0) {
    return true;
  }
  if (parts_.checkpoints->busy()) return false;
  if (recording.checkpoint_steps() > 0 &&
      finished_ / recording.checkpoint_steps() !=
          last_saved_step_ / recording.checkpoint_steps()) {
    return true;
  }
  return recording.checkpoint_minutes() > 0 &&
         SecondsSince(last_save_) > 60.0 * recording.checkpoint_minutes();
}

absl::Status TrainingLoop::Save() {
  RETURN_IF_ERROR(FinishAll());  // a lost state is noticed before it is saved
  const absl::Time start = absl::Now();
  ASSIGN_OR_RETURN(StateValues values, ReadState());
  if (parts_.metrics != nullptr) parts_.metrics->Sync();
  parts_.checkpoints->Save(finished_, std::move(values));
  last_save_ = absl::Now();
  last_saved_step_ = finished_;
  times_.checkpoint_s += SecondsSince(start);
  return absl::OkStatus();
}

bool TrainingLoop::EvaluationDue() const {
  const double interval = parts_.config->evaluation().interval_epochs();
  if (parts_.evaluator == nullptr || interval <= 0 || finished_ == 0) {
    return false;
  }
  const auto intervals = [&](int64_t steps) {
    return std::floor(EpochsAfter(*parts_.config, steps) / interval);
  };
  // A run that was stopped after the evaluation does not repeat it; one that
  // was stopped in its middle does.
  return intervals(finished_) != intervals(finished_ - 1) &&
         (parts_.metrics == nullptr ||
          parts_.metrics->evaluated_step() != finished_);
}

absl::Status TrainingLoop::EvaluateNow() {
  RETURN_IF_ERROR(FinishAll());
  const absl::Time start = absl::Now();
  ASSIGN_OR_RETURN(const StateValues values, ReadState());
  const absl::StatusOr<EvaluationResult> result = parts_.evaluator->Evaluate(
      *parts_.layout, values, EvaluationKind::kQuick);
  if (result.ok()) {
    MetricsRecord record = result->Record(*parts_.config, finished_);
    LogInfo(absl::StrFormat("epoch %.2f: %s", record.epoch, result->Summary()));
    if (parts_.metrics != nullptr) parts_.metrics->Write(std::move(record));
  } else if (!absl::IsCancelled(result.status())) {
    return result.status();
  }
  const double seconds = SecondsSince(start);
  times_.evaluation_s += seconds;
  rate_time_ += absl::Seconds(seconds);
  return absl::OkStatus();
}

absl::StatusOr<StateValues> TrainingLoop::ReadState() const {
  return last_runner_->ReadWholeState();
}

}  // namespace xla_byol
