#include <algorithm>
#include <cstdint>
#include <iterator>

#include "xla_byol/base/status_macros.h"
#include "xla_byol/config/config.h"
#include "xla_byol/predictors/closed_form.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

constexpr float kImageNetMean[] = {0.485f, 0.456f, 0.406f};
constexpr float kImageNetStddev[] = {0.229f, 0.224f, 0.225f};

void ResolveData(Data* data) {
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
}

void ResolveEvaluation(const Data& data, Evaluation* evaluation) {
  if (evaluation->linear_learning_rates().empty()) {
    for (const float rate : {0.05f, 0.1f, 0.2f, 0.3f, 0.4f}) {
      evaluation->add_linear_learning_rates(rate);
    }
  }
  if (!evaluation->has_holdout_images()) {
    evaluation->set_holdout_images(
        std::clamp<int64_t>(data.train_images() / 10, 1, 10000));
  }
  if (!evaluation->has_image_size()) {
    evaluation->set_image_size(data.image_size());
  }
}

void ResolvePredictor(Predictor* predictor) {
  const predictors::ClosedForm* form =
      predictors::FindClosedForm(predictor->kind());
  if (form == nullptr) return;
  if (!predictor->has_ridge()) predictor->set_ridge(form->ridge);
  if (!predictor->has_decay()) predictor->set_decay(form->decay);
  if (!predictor->has_iterations()) {
    predictor->set_iterations(form->iterations);
  }
  if (!predictor->has_normalize_covariance()) {
    predictor->set_normalize_covariance(form->normalize_covariance);
  }
  if (predictor->average() == Predictor::BY_KIND) {
    predictor->set_average(form->average);
  }
}

}  // namespace

void ResolveConfig(Config* config) {
  ResolveData(config->mutable_data());
  ResolveEvaluation(config->data(), config->mutable_evaluation());
  ResolvePredictor(config->mutable_predictor());
}

absl::StatusOr<Config> LoadConfig(absl::string_view text,
                                  absl::string_view source,
                                  const std::vector<std::string>& assignments,
                                  int devices) {
  ASSIGN_OR_RETURN(Config config, ParseConfig(text, source));
  RETURN_IF_ERROR(SetConfigFields(assignments, &config));
  ResolveConfig(&config);
  RETURN_IF_ERROR(ValidateConfig(config, devices));
  return config;
}

}  // namespace xla_byol
