#include "xla_byol/training/step_recorder.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/metrics/metrics_record.h"
#include "xla_byol/step/spectrum.h"
#include "xla_byol/training/loop_rules.h"

namespace xla_byol {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// What the loop acts on is no measurement.
bool IsRecorded(absl::string_view name) {
  return name != "finite" && name != "stop" && name != "step_spread";
}

std::optional<float> Find(const std::vector<StepOutputs::Scalar>& scalars,
                          absl::string_view name) {
  for (const StepOutputs::Scalar& scalar : scalars) {
    if (scalar.name == name) return scalar.value;
  }
  return std::nullopt;
}

// For the eye: a small batch's accuracy jumps too much to be read.
double Smoothed(double before, double now) {
  return std::isfinite(before) ? before + 0.05 * (now - before) : now;
}

MetricsRecord RecordOf(const Config& config, const char* kind, int64_t step) {
  return {
      .kind = kind, .step = step + 1, .epoch = EpochsAfter(config, step + 1)};
}

void AddSpectrum(const std::vector<float>& covariance, MetricsRecord& record) {
  const Spectrum spectrum = SpectrumOf(covariance);
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

absl::StatusOr<StepMetrics> ReadMetrics(const StepOutputs& outputs) {
  StepMetrics metrics;
  ASSIGN_OR_RETURN(metrics.all, outputs.ReadScalars(TensorRole::kMetric));
  metrics.loss =
      Find(metrics.all, "loss").value_or(static_cast<float>(kUnknown));
  metrics.finite = Find(metrics.all, "finite").value_or(1) != 0 &&
                   std::isfinite(metrics.loss);
  metrics.stop = Find(metrics.all, "stop");
  metrics.step_spread = Find(metrics.all, "step_spread");
  return metrics;
}

StepRecorder::StepRecorder(const Config& config, MetricsLog* metrics,
                           int64_t finished)
    : config_(config),
      metrics_(metrics),
      rate_time_(absl::Now()),
      rate_step_(finished) {
  status_.total_steps = TotalSteps(config);
  status_.epochs = config.schedule().epochs();
  status_.probe_accuracy = kUnknown;
  status_.stable_rank = kUnknown;
}

void StepRecorder::Start() { rate_time_ = absl::Now(); }

absl::Status StepRecorder::Record(int64_t step, const StepMetrics& metrics,
                                  const StepOutputs& outputs,
                                  double data_wait_s) {
  const int64_t finished = step + 1;
  status_.step = finished;
  status_.epoch = EpochsAfter(config_, finished);
  status_.loss = metrics.loss;
  if (const auto accuracy = Find(metrics.all, "probe_accuracy")) {
    status_.probe_accuracy = Smoothed(status_.probe_accuracy, *accuracy);
  }
  // None, but in a step with diagnostics.
  ASSIGN_OR_RETURN(const std::vector<StepOutputs::Scalar> diagnostics,
                   outputs.ReadScalars(TensorRole::kDiagnostic));
  status_.stable_rank =
      Find(diagnostics, "predictor_stable_rank").value_or(status_.stable_rank);
  const bool due =
      MetricsDue(config_.recording(), finished, status_.total_steps);
  if (due || absl::Now() - rate_time_ > absl::Seconds(1)) {
    UpdateStatus(finished, data_wait_s);
  }
  if (due) {
    rate_time_ = absl::Now();
    rate_step_ = finished;
    rate_wait_s_ = data_wait_s;
    if (metrics_ != nullptr) WriteMetrics(step, metrics);
  }
  if (metrics_ == nullptr || diagnostics.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<float> covariance,
                   outputs.Read("latent_covariance"));
  MetricsRecord record = RecordOf(config_, "diagnostics", step);
  for (const auto& [name, value] : diagnostics) {
    record.values.emplace_back(name, value);
  }
  AddSpectrum(covariance, record);
  metrics_->Write(std::move(record));
  return absl::OkStatus();
}

void StepRecorder::UpdateStatus(int64_t finished, double data_wait_s) {
  const double elapsed = absl::ToDoubleSeconds(absl::Now() - rate_time_);
  const double steps = static_cast<double>(finished - rate_step_);
  status_.images_per_s = steps * config_.schedule().batch_size() / elapsed;
  status_.data_wait_share = (data_wait_s - rate_wait_s_) / elapsed;
  status_.left = absl::Seconds(
      elapsed / steps * static_cast<double>(status_.total_steps - finished));
  console_.Update(status_);
}

void StepRecorder::WriteMetrics(int64_t step, const StepMetrics& metrics) {
  MetricsRecord record = RecordOf(config_, "train", step);
  for (const auto& [name, value] : metrics.all) {
    if (IsRecorded(name)) record.values.emplace_back(name, value);
  }
  const StepScalars scalars = ScalarsForStep(config_, step);
  record.values.emplace_back("learning_rate", scalars.learning_rate);
  record.values.emplace_back("target_decay", scalars.target_decay);
  record.values.emplace_back("images_per_s", status_.images_per_s);
  record.values.emplace_back("data_wait_share", status_.data_wait_share);
  metrics_->Write(std::move(record));
}

}  // namespace xla_byol
