#include "xla_byol/eval/linear_probe.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/eval/classifiers.h"
#include "xla_byol/eval/evaluation.h"
#include "xla_byol/runtime/bound_program.h"

namespace xla_byol {
namespace {

// Probes on the devices, and the program that scores them on the same buffers.
class Probes {
 public:
  static absl::StatusOr<std::unique_ptr<Probes>> Create(
      const Runtime& runtime, const ProbeOptions& options) {
    ASSIGN_OR_RETURN(NamedProgram step,
                     BuildProbeStep(options, runtime.program_options()));
    ASSIGN_OR_RETURN(NamedProgram scoring,
                     BuildProbeScoring(options, runtime.program_options()));
    ASSIGN_OR_RETURN(DeviceProgram compiled_step,
                     DeviceProgram::Compile(runtime, std::move(step)));
    ASSIGN_OR_RETURN(DeviceProgram compiled_scoring,
                     DeviceProgram::Compile(runtime, std::move(scoring)));
    // Not make_unique: the constructor is private.
    auto probes = std::unique_ptr<Probes>(new Probes(
        options, std::move(compiled_step), std::move(compiled_scoring)));
    RETURN_IF_ERROR(probes->scoring_.ShareInputs(probes->step_));
    for (const ProgramTensor& input : probes->step_.program().inputs) {
      if (!IsState(input.role)) continue;
      const std::vector<float> zeros(
          static_cast<size_t>(input.shape.elements()));
      RETURN_IF_ERROR(
          probes->step_.SetAll(input.name, absl::MakeConstSpan(zeros)));
    }
    return probes;
  }

  absl::Status Attach(ProbeSource& source) { return source.Attach(step_); }

  absl::Status Step(ProbeSource& source, absl::Span<const float> rates) {
    RETURN_IF_ERROR(source.Next());
    RETURN_IF_ERROR(step_.SetAll("learning_rates", rates));
    RETURN_IF_ERROR(step_.Run());
    // One step waits in line while another runs; more would only keep their
    // batches in memory.
    const std::optional<StepOutputs> before =
        std::exchange(in_line_, step_.TakeOutputs());
    return before.has_value() ? before->Read("loss").status()
                              : absl::OkStatus();
  }

  struct Score {
    std::vector<double> top1, top5;  // shares, one for each probe
  };

  absl::StatusOr<Score> ScoreOn(const Features& features) {
    Score score;
    score.top1.resize(static_cast<size_t>(options_.candidates));
    score.top5.resize(score.top1.size());
    double count = 0;
    const auto add = [this](const char* output,
                            std::vector<double>& sums) -> absl::Status {
      ASSIGN_OR_RETURN(const std::vector<float> right,
                       scoring_.Read<float>(output));
      for (size_t i = 0; i < right.size(); ++i) sums[i] += right[i];
      return absl::OkStatus();
    };
    for (int64_t at = 0; at < features.LargestShare();
         at += Rows() * Devices()) {
      RETURN_IF_ERROR(SetRows(features, at));
      RETURN_IF_ERROR(scoring_.Run());
      RETURN_IF_ERROR(add("top1", score.top1));
      RETURN_IF_ERROR(add("top5", score.top5));
      ASSIGN_OR_RETURN(const std::vector<float> counted,
                       scoring_.Read<float>("count"));
      count += counted[0];
    }
    for (auto* shares : {&score.top1, &score.top5}) {
      for (double& share : *shares) share /= std::max(count, 1.0);
    }
    return score;
  }

  // One of them.
  absl::StatusOr<ProbeWeights> Weights(size_t candidate) const {
    ASSIGN_OR_RETURN(const std::vector<float> w, step_.Read<float>("w"));
    ASSIGN_OR_RETURN(const std::vector<float> b, step_.Read<float>("b"));
    const auto part = [&](const std::vector<float>& all) {
      const auto size = std::ssize(all) / options_.candidates;
      const auto begin = all.begin() + static_cast<ptrdiff_t>(candidate) * size;
      return std::vector<float>(begin, begin + size);
    };
    return ProbeWeights{.features = options_.features,
                        .classes = options_.classes,
                        .w = part(w),
                        .b = part(b)};
  }

 private:
  Probes(const ProbeOptions& options, DeviceProgram step, DeviceProgram scoring)
      : options_(options),
        step_program_(std::move(step)),
        scoring_program_(std::move(scoring)),
        step_(step_program_.Bind()),
        scoring_(scoring_program_.Bind()) {}

  int64_t Devices() const { return static_cast<int64_t>(step_.devices()); }
  // Of a batch, on each device.
  int64_t Rows() const {
    return step_.program().FindInput("features")->shape.dims[0];
  }

  // Deals this process's rows out to its devices, from `at` on, and fills up
  // with rows that do not count.
  absl::Status SetRows(const Features& features, int64_t at) {
    for (size_t device = 0; device < step_.devices(); ++device) {
      const Features part =
          features.Part(at + Rows() * static_cast<int64_t>(device), Rows());
      RETURN_IF_ERROR(
          step_.Set("features", device, absl::MakeConstSpan(part.values)));
      RETURN_IF_ERROR(
          step_.Set("labels", device, absl::MakeConstSpan(part.labels)));
    }
    return absl::OkStatus();
  }

  const ProbeOptions options_;
  const DeviceProgram step_program_;
  const DeviceProgram scoring_program_;
  BoundProgram step_;
  BoundProgram scoring_;  // shares step_'s inputs
  std::optional<StepOutputs> in_line_;
};

}  // namespace

absl::Status CheckProbeBatch(const Config& config, int devices) {
  const int batch = config.evaluation().linear_batch_size();
  if (batch >= devices) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("config: evaluation.linear_batch_size is ", batch,
                   ": it must be at least the number of devices, ", devices));
}

absl::StatusOr<LinearResult> TrainLinearProbe(
    const Runtime& runtime, const Config& config, ProbeSource& source,
    int64_t epoch_images, const Features& holdout, const Features& test,
    ImageProgress progress) {
  const int devices = runtime.place().global_devices();
  RETURN_IF_ERROR(CheckProbeBatch(config, devices));
  const Evaluation& evaluation = config.evaluation();
  const auto& base_rates = evaluation.linear_learning_rates();
  const int64_t batch =
      std::min<int64_t>(evaluation.linear_batch_size(), epoch_images) /
      devices * devices;
  if (batch == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the linear probe has ", epoch_images,
                     " training images, fewer than the ", devices,
                     " devices; use fewer devices or more images"));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<Probes> probes,
                   Probes::Create(runtime, {.batch = batch,
                                            .features = test.dimension,
                                            .classes = config.data().classes(),
                                            .candidates = base_rates.size()}));
  RETURN_IF_ERROR(probes->Attach(source));

  const int64_t images = static_cast<int64_t>(
      evaluation.linear_epochs() * static_cast<double>(epoch_images));
  const int64_t steps = std::max<int64_t>(images / batch, 1);
  std::vector<float> rates(static_cast<size_t>(base_rates.size()));
  for (int64_t i = 0; i < steps; ++i) {
    const double falling =
        0.5 * (1 + std::cos(std::numbers::pi * static_cast<double>(i) /
                            static_cast<double>(steps)));
    for (size_t k = 0; k < rates.size(); ++k) {
      rates[k] = static_cast<float>(base_rates.at(static_cast<int>(k)) *
                                    static_cast<double>(batch) / 256 * falling);
    }
    RETURN_IF_ERROR(probes->Step(source, rates));
    RETURN_IF_ERROR(progress(i + 1, steps));
  }

  ASSIGN_OR_RETURN(const auto chosen_by, probes->ScoreOn(holdout));
  const size_t best = static_cast<size_t>(
      std::max_element(chosen_by.top1.begin(), chosen_by.top1.end()) -
      chosen_by.top1.begin());
  ASSIGN_OR_RETURN(const auto score, probes->ScoreOn(test));
  ASSIGN_OR_RETURN(ProbeWeights weights, probes->Weights(best));
  return LinearResult{.top1 = score.top1[best],
                      .top5 = score.top5[best],
                      .learning_rate = base_rates.at(static_cast<int>(best)),
                      .holdout_top1 = chosen_by.top1[best],
                      .probe = std::move(weights)};
}

}  // namespace xla_byol
