#include "xla_byol/settings/validate_parts.h"

#include <cmath>
#include <string>

#include "xla_byol/base/status_macros.h"

namespace xla_byol {
namespace {

absl::Status CheckView(const Augmentation& view, absl::string_view path) {
  const struct {
    const char* field;
    float value;
    double low, high;
  } ranges[] = {
      {"min_crop_area", view.min_crop_area(), 1e-4, 1},
      {"flip_probability", view.flip_probability(), 0, 1},
      {"jitter_probability", view.jitter_probability(), 0, 1},
      {"brightness", view.brightness(), 0, 1},
      {"contrast", view.contrast(), 0, 1},
      {"saturation", view.saturation(), 0, 1},
      {"hue", view.hue(), 0, 0.5},
      {"grayscale_probability", view.grayscale_probability(), 0, 1},
      {"blur_probability", view.blur_probability(), 0, 1},
      {"solarize_probability", view.solarize_probability(), 0, 1},
  };
  for (const auto& [field, value, low, high] : ranges) {
    const std::string name = absl::StrCat(path, ".", field);
    RETURN_IF_ERROR(CheckRanges({{name.c_str(), value, low, high}}));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckRanges(std::initializer_list<Range> ranges) {
  for (const Range& range : ranges) {
    const bool below_high = range.high_included ? range.value <= range.high
                                                : range.value < range.high;
    if (range.value >= range.low && below_high) continue;
    const std::string upper =
        std::isinf(range.high)
            ? ""
            : absl::StrCat(
                  range.high_included ? " and at most " : " and below ",
                  range.high);
    return Refuse(range.field, range.value,
                  absl::StrCat("it must be at least ", range.low, upper));
  }
  return absl::OkStatus();
}

absl::Status CheckEvaluation(const Config& config) {
  const Evaluation& evaluation = config.evaluation();
  for (const float rate : evaluation.linear_learning_rates()) {
    if (!(rate > 0)) {
      return Refuse("evaluation.linear_learning_rates", rate,
                    "a probe learns nothing at that rate");
    }
  }
  return CheckRanges({
      {"evaluation.interval_epochs", evaluation.interval_epochs(), 0, kNoLimit},
      {"evaluation.neighbours", 1.0 * evaluation.neighbours(), 1, kNoLimit},
      {"evaluation.temperature", evaluation.temperature(), 1e-3, kNoLimit},
      {"evaluation.bank_images", 1.0 * evaluation.bank_images(), 0, kNoLimit},
      {"evaluation.linear_epochs", evaluation.linear_epochs(), 0, kNoLimit},
      {"evaluation.linear_batch_size", 1.0 * evaluation.linear_batch_size(), 1,
       kNoLimit},
      {"evaluation.holdout_images", 1.0 * evaluation.holdout_images(), 1,
       0.5 * static_cast<double>(config.data().train_images())},
  });
}

absl::Status CheckRecording(const Recording& recording) {
  return CheckRanges({
      {"recording.metrics_interval", 1.0 * recording.metrics_interval(), 1,
       kNoLimit},
      {"recording.diagnostics_interval", 1.0 * recording.diagnostics_interval(),
       0, kNoLimit},
      {"recording.checkpoint_minutes", recording.checkpoint_minutes(), 0,
       kNoLimit},
      {"recording.checkpoint_steps", 1.0 * recording.checkpoint_steps(), 0,
       kNoLimit},
      {"recording.keep_checkpoints", 1.0 * recording.keep_checkpoints(), 1,
       kNoLimit},
      {"recording.keep_every", 1.0 * recording.keep_every(), 0, kNoLimit},
  });
}

absl::Status CheckData(const Data& data) {
  RETURN_IF_ERROR(CheckRanges({
      {"data.classes", 1.0 * data.classes(), 0, kNoLimit},
      {"data.train_images", 1.0 * static_cast<double>(data.train_images()), 1,
       kNoLimit},
  }));
  if (data.channels() != 1 && data.channels() != 3) {
    return Refuse("data.channels", data.channels(), "it must be 1 or 3");
  }
  if (data.mean_size() != data.channels() ||
      data.stddev_size() != data.channels()) {
    return Refuse(
        "data.channels", data.channels(),
        absl::StrCat("data.mean has ", data.mean_size(), " and data.stddev ",
                     data.stddev_size(), " numbers; give one per channel"));
  }
  for (const float stddev : data.stddev()) {
    if (!(stddev > 0)) {
      return Refuse("data.stddev", stddev, "pixels are divided by it");
    }
  }
  RETURN_IF_ERROR(CheckView(data.view1(), "data.view1"));
  return CheckView(data.view2(), "data.view2");
}

}  // namespace xla_byol
