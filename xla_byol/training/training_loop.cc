#include "xla_byol/training/training_loop.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/profiling/host_trace.h"
#include "xla_byol/runtime/stop_signal.h"
#include "xla_byol/training/loop_rules.h"
#include "xla_byol/training/training_data.h"

namespace xla_byol {
namespace {

using profiling::Span;

double SecondsSince(absl::Time start) {
  return absl::ToDoubleSeconds(absl::Now() - start);
}

}  // namespace

TrainingLoop::TrainingLoop(const LoopParts& parts, BoundStep step,
                           int64_t finished)
    : parts_(parts),
      total_steps_(TotalSteps(*parts.config)),
      step_(std::move(step)),
      finished_(finished),
      recorder_(*parts.config, parts.metrics, finished),
      last_save_(absl::Now()),
      last_saved_step_(finished) {}

absl::StatusOr<std::unique_ptr<TrainingLoop>> TrainingLoop::Create(
    const LoopParts& parts, int64_t finished, const StateValues& values) {
  ASSIGN_OR_RETURN(BoundStep step, BoundStep::Create(parts.step->Bind()));
  // Not make_unique: the constructor is private.
  auto loop = std::unique_ptr<TrainingLoop>(
      new TrainingLoop(parts, std::move(step), finished));
  if (parts.diagnostic_step != nullptr) {
    loop->diagnostic_step_.emplace(parts.diagnostic_step->Bind());
    RETURN_IF_ERROR(loop->diagnostic_step_->ShareInputs(loop->step_.program()));
  }
  RETURN_IF_ERROR(loop->step_.WriteState(
      *parts.layout, [&values](size_t i, absl::Span<float> place) {
        std::copy(values[i].begin(), values[i].end(), place.begin());
      }));
  return loop;
}

absl::StatusOr<LoopEnd> TrainingLoop::Run() {
  const HoldStopSignals hold;
  const absl::Time start = absl::Now();
  RETURN_IF_ERROR(AgreeOnEvaluations());
  recorder_.Start();
  LoopEnd end = LoopEnd::kFinished;
  while (finished_ < total_steps_) {
    if (IsEvaluationDue()) RETURN_IF_ERROR(EvaluateNow());
    if (StopRequested()) vote_.Ask();
    if (agreed_to_stop_ ||
        StopsBefore(finished_, parts_.runtime->place().processes,
                    StopRequested(), vote_)) {
      end = LoopEnd::kStopped;
      break;
    }
    if (parts_.profiler != nullptr) {
      RETURN_IF_ERROR(parts_.profiler->BeforeStep(
          finished_, [this] { return FinishAll(); }));
    }
    RETURN_IF_ERROR(MakeStep());
  }
  RETURN_IF_ERROR(FinishAll());
  if (parts_.profiler != nullptr) parts_.profiler->Finish();
  recorder_.Finish();
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

absl::Status TrainingLoop::MakeStep() {
  const Span span(trace(), "train", finished_);
  if (!next_.has_value()) {
    ASSIGN_OR_RETURN(next_, NextBatch());
  }
  RETURN_IF_ERROR(Enqueue(finished_, *std::exchange(next_, std::nullopt)));
  ++finished_;
  // The next batch travels, and its step waits in line, while the metrics of
  // the step before are looked at: the device never waits for us.
  if (finished_ < total_steps_) {
    ASSIGN_OR_RETURN(next_, NextBatch());
  }
  while (in_flight_.size() >= StopVote::kStepsInLine) {
    RETURN_IF_ERROR(FinishOldest());
  }
  return IsCheckpointDue() ? Save() : absl::OkStatus();
}

absl::StatusOr<TrainingLoop::Ready> TrainingLoop::NextBatch() {
  const absl::Time start = absl::Now();
  std::optional<Span> span(std::in_place, trace(), "wait for data");
  ASSIGN_OR_RETURN(input::Loader::Batch host, parts_.loader->Next());
  times_.data_wait_s += SecondsSince(start);
  span.emplace(trace(), "transfer");
  ASSIGN_OR_RETURN(StagedInputs device,
                   step_.StartTransfer(HostBatches(*host)));
  return Ready{std::move(host), std::move(device)};
}

absl::Status TrainingLoop::Enqueue(int64_t step, Ready batch) {
  const Span span(trace(), "enqueue");
  StepScalars scalars = ScalarsForStep(*parts_.config, step);
  scalars.stop = vote_.ballot();
  scalars.step = static_cast<float>(step);
  RETURN_IF_ERROR(step_.SetInputs(std::move(batch.device), scalars));
  BoundProgram& program =
      diagnostic_step_.has_value() &&
              DiagnosticsDue(parts_.config->recording(), step)
          ? *diagnostic_step_
          : step_.program();
  if (parts_.processes != nullptr) parts_.processes->BeginStep(step);
  RETURN_IF_ERROR(program.Run());
  in_flight_.push_back({step, std::move(batch.host), program.TakeOutputs()});
  return absl::OkStatus();
}

absl::Status TrainingLoop::FinishOldest() {
  const Span span(trace(), "metrics");
  const InFlight done = std::move(in_flight_.front());
  in_flight_.pop_front();
  ASSIGN_OR_RETURN(const StepMetrics metrics, ReadMetrics(done.outputs));
  if (metrics.stop.has_value()) vote_.Hear(done.step, *metrics.stop);
  if (metrics.step_spread.has_value()) {
    RETURN_IF_ERROR(CheckSameStep(*metrics.step_spread, done.step));
  }
  loss_ = metrics.loss;
  if (!metrics.finite) return LostState(done.step);
  return recorder_.Record(done.step, metrics, done.outputs, times_.data_wait_s);
}

absl::Status TrainingLoop::FinishAll() {
  while (!in_flight_.empty()) RETURN_IF_ERROR(FinishOldest());
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
      "training diverged in step ", step, ": the loss is ", loss_, ", ",
      tensors, "; ",
      good < 0 ? "there is no checkpoint before it"
               : absl::StrCat("the checkpoint of step ", good, " is intact"),
      "; a smaller optimizer.base_learning_rate or a larger predictor.ridge "
      "(with --branch) may help"));
}

bool TrainingLoop::IsCheckpointDue() const {
  return parts_.checkpoints != nullptr &&
         CheckpointDue(parts_.config->recording(),
                       {.finished = finished_,
                        .last_saved = last_saved_step_,
                        .since_save = absl::Now() - last_save_,
                        .writer_busy = parts_.checkpoints->busy()});
}

absl::Status TrainingLoop::Save() {
  RETURN_IF_ERROR(FinishAll());  // a lost state is noticed before it is saved
  const absl::Time start = absl::Now();
  const Span span(trace(), "checkpoint");
  ASSIGN_OR_RETURN(StateValues values, ReadState());
  if (parts_.metrics != nullptr) parts_.metrics->Sync();
  parts_.checkpoints->Save(finished_, std::move(values));
  last_save_ = absl::Now();
  last_saved_step_ = finished_;
  times_.checkpoint_s += SecondsSince(start);
  return absl::OkStatus();
}

bool TrainingLoop::IsEvaluationDue() const {
  return parts_.evaluator != nullptr &&
         EvaluationDue(*parts_.config, finished_, evaluated_);
}

// Only one process has the records.
absl::Status TrainingLoop::AgreeOnEvaluations() {
  if (parts_.evaluator == nullptr) return absl::OkStatus();
  evaluated_ =
      parts_.metrics == nullptr ? -1 : parts_.metrics->evaluated_step();
  if (parts_.runtime->place().processes == 1) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<double> evaluated,
                   parts_.evaluator->Gather(static_cast<double>(evaluated_)));
  evaluated_ = static_cast<int64_t>(evaluated[0]);
  return absl::OkStatus();
}

absl::Status TrainingLoop::EvaluateNow() {
  RETURN_IF_ERROR(FinishAll());
  const absl::Time start = absl::Now();
  const Span span(trace(), "evaluation");
  ASSIGN_OR_RETURN(const StateValues values, ReadState());
  const absl::StatusOr<EvaluationResult> result = parts_.evaluator->Evaluate(
      *parts_.layout, values, EvaluationKind::kQuick);
  if (result.ok()) {
    MetricsRecord record = result->Record(*parts_.config, finished_);
    LogInfo(absl::StrFormat("epoch %.2f: %s", record.epoch, result->Summary()));
    if (parts_.metrics != nullptr) parts_.metrics->Write(std::move(record));
    evaluated_ = finished_;
  } else if (!absl::IsCancelled(result.status())) {
    return result.status();
  } else {
    // No step is in line: here all processes are after the same one.
    agreed_to_stop_ = true;
  }
  const absl::Duration taken = absl::Now() - start;
  times_.evaluation_s += absl::ToDoubleSeconds(taken);
  recorder_.LeaveOut(taken);
  return absl::OkStatus();
}

absl::StatusOr<StateValues> TrainingLoop::ReadState() const {
  return step_.program().ReadState();
}

}  // namespace xla_byol
