#include "xla_byol/eval/linear_probe.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "xla_byol/base/status_macros.h"
#include "xla_byol/eval/classifiers.h"
#include "xla_byol/eval/evaluation.h"
#include "xla_byol/input/permutation.h"
#include "xla_byol/pjrt/runner.h"

namespace xla_byol {
namespace {

constexpr int kState = 4;  // w, b and their momenta
constexpr int kInputs = 7;

// Rows from `begin`, `count` of them in memory, filled up with rows that do not
// count.
struct Rows {
  std::vector<float> values;
  std::vector<int32_t> labels;

  Rows(const Features& features, int64_t begin, int64_t count)
      : values(static_cast<size_t>(count * features.dimension)),
        labels(static_cast<size_t>(count), input::kNoLabel) {
    const int64_t there = std::min(count, features.size() - begin);
    std::copy_n(features.values.begin() + begin * features.dimension,
                there * features.dimension, values.begin());
    std::copy_n(features.labels.begin() + begin, there, labels.begin());
  }
};

// Probes on the devices. The judge's program shares w and b.
class Probes {
 public:
  Probes(const Runtime& runtime, const ProbeOptions& options,
         const DeviceProgram& step, const DeviceProgram& judge)
      : runtime_(runtime),
        options_(options),
        step_(step),
        judge_(judge),
        runner_(step.executable()) {}

  absl::Status Start() {
    const size_t devices = runtime_.devices();
    inputs_.resize(devices * kInputs);
    losses_.resize(devices * 2);
    for (size_t device = 0; device < devices; ++device) {
      for (size_t i = 0; i < kInputs; ++i) {
        arguments_.push_back(&inputs_[device * kInputs + i]);
        if (i >= kState) continue;
        results_.push_back(arguments_.back());
        const std::vector<float> zeros(
            static_cast<size_t>(step_.program().inputs[i].shape.elements()));
        RETURN_IF_ERROR(
            SetInput(device, i, BytesOf(absl::MakeConstSpan(zeros))));
      }
      results_.push_back(&losses_[device * 2]);
      results_.push_back(&losses_[device * 2 + 1]);
    }
    return absl::OkStatus();
  }

  absl::Status Step(const Features& batch, absl::Span<const float> rates) {
    for (size_t device = 0; device < runtime_.devices(); ++device) {
      const Rows rows = DeviceRows(batch, 0, device);
      RETURN_IF_ERROR(
          SetInput(device, kState, BytesOf(absl::MakeConstSpan(rows.values))));
      RETURN_IF_ERROR(SetInput(device, kState + 1,
                               BytesOf(absl::MakeConstSpan(rows.labels))));
      RETURN_IF_ERROR(SetInput(device, kState + 2, BytesOf(rates)));
    }
    return runner_.Run(arguments_, results_);
  }

  struct Score {
    std::vector<double> top1, top5;  // shares, one for each probe
  };

  absl::StatusOr<Score> Judge(const Features& features) {
    std::vector<double> sums[2];
    double count = 0;
    for (auto& sum : sums) sum.resize(static_cast<size_t>(options_.candidates));
    for (int64_t at = 0; at < features.size(); at += options_.batch) {
      std::vector<pjrt::Buffer> batch(runtime_.devices() * 2);
      std::vector<pjrt::Buffer*> arguments;
      for (size_t device = 0; device < runtime_.devices(); ++device) {
        const Rows rows = DeviceRows(features, at, device);
        ASSIGN_OR_RETURN(
            batch[device * 2],
            judge_.CopyInput(2, BytesOf(absl::MakeConstSpan(rows.values)),
                             device));
        ASSIGN_OR_RETURN(
            batch[device * 2 + 1],
            judge_.CopyInput(3, BytesOf(absl::MakeConstSpan(rows.labels)),
                             device));
        arguments.insert(
            arguments.end(),
            {&inputs_[device * kInputs], &inputs_[device * kInputs + 1],
             &batch[device * 2], &batch[device * 2 + 1]});
      }
      ASSIGN_OR_RETURN(const std::vector<pjrt::Buffer> results,
                       judge_.executable().Execute(arguments));
      for (size_t place = 0; place < 2; ++place) {
        ASSIGN_OR_RETURN(const std::vector<float> right,
                         results[place].ToVector<float>());
        for (size_t i = 0; i < right.size(); ++i) sums[place][i] += right[i];
      }
      ASSIGN_OR_RETURN(const std::vector<float> counted,
                       results[2].ToVector<float>());
      count += counted[0];
    }
    for (auto& sum : sums) {
      for (double& value : sum) value /= std::max(count, 1.0);
    }
    return Score{std::move(sums[0]), std::move(sums[1])};
  }

 private:
  Rows DeviceRows(const Features& features, int64_t at, size_t device) const {
    const int64_t rows =
        options_.batch / static_cast<int64_t>(runtime_.devices());
    const int64_t begin =
        std::min(at + rows * static_cast<int64_t>(device), features.size());
    return Rows(features, begin, rows);
  }

  absl::Status SetInput(size_t device, size_t index,
                        absl::Span<const std::byte> data) {
    ASSIGN_OR_RETURN(inputs_[device * kInputs + index],
                     step_.CopyInput(index, data, device));
    return absl::OkStatus();
  }

  const Runtime& runtime_;
  const ProbeOptions& options_;
  const DeviceProgram& step_;
  const DeviceProgram& judge_;
  pjrt::Runner runner_;
  std::vector<pjrt::Buffer> inputs_;
  std::vector<pjrt::Buffer> losses_;
  std::vector<pjrt::Buffer*> arguments_;
  std::vector<pjrt::Buffer*> results_;
};

}  // namespace

FeatureSource ShuffledFeatures(const Features& features, uint64_t seed) {
  const uint64_t size = static_cast<uint64_t>(features.size());
  return [&features, seed, size, place = uint64_t{0},
          order = input::Permutation(seed, 0, size)](
             int64_t rows) mutable -> absl::StatusOr<Features> {
    Features some{.dimension = features.dimension};
    some.values.reserve(static_cast<size_t>(rows * features.dimension));
    for (int64_t i = 0; i < rows; ++i, ++place) {
      if (place % size == 0) {
        order = input::Permutation(seed, place / size, size);
      }
      const int64_t row = static_cast<int64_t>(order.At(place % size));
      const absl::Span<const float> values = features.row(row);
      some.values.insert(some.values.end(), values.begin(), values.end());
      some.labels.push_back(features.labels[static_cast<size_t>(row)]);
    }
    return some;
  };
}

absl::StatusOr<LinearResult> TrainLinearProbe(
    const Runtime& runtime, const Config& config, const FeatureSource& source,
    int64_t epoch_images, const Features& holdout, const Features& test,
    ImageProgress progress) {
  const Evaluation& evaluation = config.evaluation();
  const auto& base_rates = evaluation.linear_learning_rates();
  const int64_t devices = static_cast<int64_t>(runtime.devices());
  const int64_t batch =
      std::min<int64_t>(evaluation.linear_batch_size(), epoch_images) /
      devices * devices;
  const ProbeOptions options = {.batch = batch,
                                .features = test.dimension,
                                .classes = config.data().classes(),
                                .candidates = base_rates.size()};
  ASSIGN_OR_RETURN(StepProgram step_program,
                   BuildProbeStep(options, runtime.step_options()));
  ASSIGN_OR_RETURN(StepProgram judge_program,
                   BuildProbeJudge(options, runtime.step_options()));
  ASSIGN_OR_RETURN(const DeviceProgram step,
                   DeviceProgram::Compile(runtime, std::move(step_program)));
  ASSIGN_OR_RETURN(const DeviceProgram judge,
                   DeviceProgram::Compile(runtime, std::move(judge_program)));
  Probes probes(runtime, options, step, judge);
  RETURN_IF_ERROR(probes.Start());

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
    ASSIGN_OR_RETURN(const Features rows, source(batch));
    RETURN_IF_ERROR(probes.Step(rows, rates));
    RETURN_IF_ERROR(progress(i + 1, steps));
  }

  ASSIGN_OR_RETURN(const auto chosen_by, probes.Judge(holdout));
  const size_t best = static_cast<size_t>(
      std::max_element(chosen_by.top1.begin(), chosen_by.top1.end()) -
      chosen_by.top1.begin());
  ASSIGN_OR_RETURN(const auto score, probes.Judge(test));
  return LinearResult{.top1 = score.top1[best],
                      .top5 = score.top5[best],
                      .learning_rate = base_rates.at(static_cast<int>(best)),
                      .holdout_top1 = chosen_by.top1[best]};
}

}  // namespace xla_byol
