#include <algorithm>
#include <cstdint>
#include <iterator>

#include "google/protobuf/descriptor.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/config/config.h"
#include "xla_byol/methods/method.h"
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

// Sizes of the layers say what each of the other lists has by default, and what
// the latent size is.
void ResolveProjector(Model* model) {
  const int layers = model->projector_sizes_size();
  if (layers == 0) return;
  if (model->projector_bias().empty()) {
    for (int i = 0; i < layers; ++i) model->add_projector_bias(false);
  }
  if (model->projector_norms().empty()) {
    for (int i = 0; i < layers; ++i) {
      model->add_projector_norms(i + 1 < layers ? Model::BATCH
                                                : Model::NO_NORM);
    }
  }
  if (!model->has_projector_output_size()) {
    model->set_projector_output_size(model->projector_sizes(layers - 1));
  }
}

// Fields that the method has a use for get its authors' values.
void ResolveMethod(int features, const MethodRow& row, Method* method) {
  const auto& reflection = *method->GetReflection();
  for (const MethodSetting& setting : row.settings) {
    const auto* field = Method::descriptor()->FindFieldByName(setting.field);
    if (reflection.HasField(*method, field)) continue;
    const double value =
        setting.default_value / (setting.per_feature ? features : 1);
    switch (field->cpp_type()) {
      case google::protobuf::FieldDescriptor::CPPTYPE_INT32:
        reflection.SetInt32(method, field, static_cast<int>(value));
        break;
      case google::protobuf::FieldDescriptor::CPPTYPE_BOOL:
        reflection.SetBool(method, field, value != 0);
        break;
      default:
        reflection.SetFloat(method, field, static_cast<float>(value));
    }
  }
}

}  // namespace

void ResolveConfig(Config* config) {
  ResolveData(config->mutable_data());
  ResolveEvaluation(config->data(), config->mutable_evaluation());
  ResolveProjector(config->mutable_model());
  const MethodRow* method = FindMethod(config->method().kind());
  if (method == nullptr) return;  // refused by ValidateConfig
  if (!method->settings.empty()) {
    ResolveMethod(config->model().projector_output_size(), *method,
                  config->mutable_method());
  }
  if (!method->has_predictor) return;
  if (method->only_predictor.has_value() && !config->predictor().has_kind()) {
    config->mutable_predictor()->set_kind(*method->only_predictor);
  }
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
