// What a config leaves out, and what makes no sense.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/config/config.h"
#include "xla_byol/nn/architecture.h"

namespace xla_byol {
namespace {

constexpr float kImageNetMean[] = {0.485f, 0.456f, 0.406f};
constexpr float kImageNetStddev[] = {0.229f, 0.224f, 0.225f};

template <typename T>
absl::Status Refuse(absl::string_view field, T value,
                    absl::string_view reason) {
  return absl::InvalidArgumentError(
      absl::StrCat("config: ", field, " is ", value, ": ", reason));
}

// A field whose value must lie in a range.
struct Range {
  const char* field;
  double value;
  double low;
  double high;
  bool high_included = true;
};

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

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

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

// The stem and three strided stages halve the image, rounding up; the last one
// must have more than one pixel to look at.
absl::Status CheckImageSize(const Model& model, const char* field, int size) {
  RETURN_IF_ERROR(CheckRanges({{field, 1.0 * size, 1, 4096}}));
  const int smallest = model.stem() == Model::IMAGENET ? 17 : 8;
  if (size >= smallest) return absl::OkStatus();
  return Refuse(
      field, size,
      absl::StrCat(
          "the ", Model::Stem_Name(model.stem()),
          " stem and three strided stages need at least ", smallest, " pixels",
          model.stem() == Model::IMAGENET ? "; set model.stem to SMALL" : ""));
}

absl::Status CheckModel(const Model& model) {
  RETURN_IF_ERROR(nn::FindArchitecture(model.architecture()).status());
  return CheckRanges({
      {"model.width_multiplier", 1.0 * model.width_multiplier(), 1, 16},
      {"model.base_channels", 1.0 * model.base_channels(), 1, 1024},
      {"model.projector_hidden_size", 1.0 * model.projector_hidden_size(), 1,
       kNoLimit},
      {"model.projector_output_size", 1.0 * model.projector_output_size(), 1,
       kNoLimit},
      {"model.batch_norm_decay", model.batch_norm_decay(), 0, 1, false},
      {"model.batch_norm_epsilon", model.batch_norm_epsilon(), 1e-12, 1},
  });
}

// What a closed form uses unless the config says otherwise: the paper's ridge
// at 100 epochs, decay and iterations.
struct ClosedFormDefaults {
  Predictor::Kind kind;
  float ridge;
  float decay;
  int iterations;  // 0: the form has none
  // Beyond it f32 rounding in directions that the latents lack shows: it grows
  // by 9/4 a step in Newton-Schulz, by 2 in LRP.
  int max_iterations;
  bool normalize_covariance = false;
  Predictor::Average average = Predictor::PREDICTOR;
};

constexpr ClosedFormDefaults kClosedForms[] = {
    {Predictor::NEWTON_SCHULZ, 0.9f, 0.99f, 9, 15},
    {Predictor::LRP, 0.0f, 0.8f, 20, 24},
    {Predictor::NE, 0.15f, 0.99f, 12, 20},
    {Predictor::VISSER, 0.0f, 0.99f, 50, 1000},
    {Predictor::NS2, 0.9f, 0.99f, 7, 12},
    {Predictor::STIEFEL, 0.3f, 0.999f, 9, 15},
    {Predictor::DIRECTPRED, 0.01f, 0.3f, 12, 15, true, Predictor::COVARIANCE},
    {Predictor::DIRECTCOPY, 0.6f, 0.99f, 0, 0, true},
};

const ClosedFormDefaults* FindClosedForm(Predictor::Kind kind) {
  for (const ClosedFormDefaults& defaults : kClosedForms) {
    if (defaults.kind == kind) return &defaults;
  }
  return nullptr;
}

absl::Status CheckPredictor(const Predictor& predictor) {
  const ClosedFormDefaults* closed = FindClosedForm(predictor.kind());
  if (closed != nullptr) {
    RETURN_IF_ERROR(CheckRanges({
        {"predictor.iterations", 1.0 * predictor.iterations(),
         closed->iterations > 0 ? 1.0 : 0.0, 1.0 * closed->max_iterations},
    }));
    if (predictor.average() == Predictor::COVARIANCE &&
        (predictor.kind() == Predictor::LRP ||
         predictor.kind() == Predictor::NE)) {
      return Refuse("predictor.average", "COVARIANCE",
                    absl::StrCat(Predictor::Kind_Name(predictor.kind()),
                                 " is no function of the covariance alone; "
                                 "average the PREDICTOR"));
    }
  }
  return CheckRanges({
      {"predictor.ridge", predictor.ridge(), 0, kNoLimit},
      {"predictor.decay", predictor.decay(), 0, 1, false},
      {"predictor.hidden_size", 1.0 * predictor.hidden_size(), 1, kNoLimit},
      {"predictor.update_interval", 1.0 * predictor.update_interval(), 1,
       kNoLimit},
      {"predictor.visser_step", predictor.visser_step(), 1e-9, 1},
  });
}

absl::Status CheckTraining(const Config& config) {
  const Optimizer& optimizer = config.optimizer();
  const Schedule& schedule = config.schedule();
  RETURN_IF_ERROR(CheckRanges({
      {"target.initial_decay", config.target().initial_decay(), 0, 1},
      {"optimizer.base_learning_rate", optimizer.base_learning_rate(), 0,
       kNoLimit},
      {"optimizer.weight_decay", optimizer.weight_decay(), 0, kNoLimit},
      {"optimizer.momentum", optimizer.momentum(), 0, 1, false},
      {"optimizer.trust_coefficient", optimizer.trust_coefficient(), 0,
       kNoLimit},
      {"schedule.epochs", schedule.epochs(), 0, kNoLimit},
      {"schedule.warmup_epochs", schedule.warmup_epochs(), 0, kNoLimit},
      {"schedule.batch_size", 1.0 * schedule.batch_size(), 2, kNoLimit},
  }));
  if (schedule.warmup_epochs() > schedule.epochs()) {
    return Refuse(
        "schedule.warmup_epochs", schedule.warmup_epochs(),
        absl::StrCat("the whole schedule has ", schedule.epochs(), " epochs"));
  }
  if (schedule.batch_size() > config.data().train_images()) {
    return Refuse("schedule.batch_size", schedule.batch_size(),
                  absl::StrCat("an epoch has only ",
                               config.data().train_images(), " images"));
  }
  return absl::OkStatus();
}

}  // namespace

bool IsClosedForm(Predictor::Kind kind) {
  return FindClosedForm(kind) != nullptr;
}

void ResolveConfig(Config* config) {
  Data* data = config->mutable_data();
  const auto fill = [data](auto* numbers, const float(&rgb)[3]) {
    if (!numbers->empty()) return;
    if (data->channels() == 1) {
      numbers->Add((rgb[0] + rgb[1] + rgb[2]) / 3);
    } else {
      numbers->Add(std::begin(rgb), std::end(rgb));
    }
  };
  fill(data->mutable_mean(), kImageNetMean);
  fill(data->mutable_stddev(), kImageNetStddev);
  const auto fill_view = [](Augmentation* view, float blur, float solarize) {
    if (!view->has_blur_probability()) view->set_blur_probability(blur);
    if (!view->has_solarize_probability()) {
      view->set_solarize_probability(solarize);
    }
  };
  fill_view(data->mutable_view1(), 1.0f, 0.0f);
  fill_view(data->mutable_view2(), 0.1f, 0.2f);
  Evaluation* evaluation = config->mutable_evaluation();
  if (evaluation->linear_learning_rates().empty()) {
    for (const float rate : {0.05f, 0.1f, 0.2f, 0.3f, 0.4f}) {
      evaluation->add_linear_learning_rates(rate);
    }
  }
  if (!evaluation->has_holdout_images()) {
    evaluation->set_holdout_images(
        std::clamp<int64_t>(data->train_images() / 10, 1, 10000));
  }
  if (!evaluation->has_image_size()) {
    evaluation->set_image_size(data->image_size());
  }
  Predictor* predictor = config->mutable_predictor();
  if (const auto* defaults = FindClosedForm(predictor->kind())) {
    if (!predictor->has_ridge()) predictor->set_ridge(defaults->ridge);
    if (!predictor->has_decay()) predictor->set_decay(defaults->decay);
    if (!predictor->has_iterations()) {
      predictor->set_iterations(defaults->iterations);
    }
    if (!predictor->has_normalize_covariance()) {
      predictor->set_normalize_covariance(defaults->normalize_covariance);
    }
    if (predictor->average() == Predictor::BY_KIND) {
      predictor->set_average(defaults->average);
    }
  }
}

absl::Status ValidateConfig(const Config& config, int devices) {
  RETURN_IF_ERROR(CheckData(config.data()));
  RETURN_IF_ERROR(CheckModel(config.model()));
  RETURN_IF_ERROR(CheckImageSize(config.model(), "data.image_size",
                                 config.data().image_size()));
  RETURN_IF_ERROR(CheckImageSize(config.model(), "evaluation.image_size",
                                 config.evaluation().image_size()));
  RETURN_IF_ERROR(CheckPredictor(config.predictor()));
  RETURN_IF_ERROR(CheckTraining(config));
  if (config.data().classes() > 0) RETURN_IF_ERROR(CheckEvaluation(config));
  RETURN_IF_ERROR(CheckRecording(config.recording()));
  const int batch_size = config.schedule().batch_size();
  if (devices < 1 || batch_size % devices != 0) {
    return Refuse("schedule.batch_size", batch_size,
                  absl::StrCat("it must divide by the ", devices, " devices"));
  }
  return absl::OkStatus();
}

}  // namespace xla_byol
