#include <string>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/methods/method.h"
#include "xla_byol/model/networks.h"
#include "xla_byol/nn/architecture.h"
#include "xla_byol/optimizers/optimizer.h"
#include "xla_byol/predictors/closed_form.h"
#include "xla_byol/settings/settings.h"
#include "xla_byol/settings/validate_parts.h"

namespace xla_byol {
namespace {

// The stem and three strided stages halve the image, rounding up; the last one
// must have more than one pixel to look at.
absl::Status CheckImageSize(const Model& model, const char* field, int size) {
  RETURN_IF_ERROR(CheckRanges({{field, 1.0 * size, 1, 4096}}));
  const std::string name = Model::Stem_Name(model.stem());
  ASSIGN_OR_RETURN(const nn::Stem stem, nn::FindStem(name));
  if (size >= stem.smallest_image) return absl::OkStatus();
  return Refuse(
      field, size,
      absl::StrCat(
          "the ", name, " stem and three strided stages need at least ",
          stem.smallest_image, " pixels",
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

absl::Status CheckPredictor(const Predictor& predictor) {
  const predictors::ClosedForm* form =
      predictors::FindClosedForm(predictor.kind());
  if (form == nullptr && !IsTrainedPredictor(predictor.kind()) &&
      predictor.kind() != Predictor::IDENTITY) {
    return Refuse("predictor.kind", Predictor::Kind_Name(predictor.kind()),
                  "nobody has written that predictor yet");
  }
  if (form != nullptr) {
    RETURN_IF_ERROR(CheckRanges({
        {"predictor.iterations", 1.0 * predictor.iterations(),
         form->iterations > 0 ? 1.0 : 0.0, 1.0 * form->max_iterations},
    }));
    if (predictor.average() == Predictor::COVARIANCE && !form->of_covariance) {
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

// A method that has neither target nor predictor refuses settings of them,
// which would do nothing.
absl::Status CheckMethod(const Config& config) {
  const Method::Kind kind = config.method().kind();
  const std::string name = Method::Kind_Name(kind);
  const MethodRow* method = FindMethod(kind);
  if (method == nullptr) {
    return Refuse("method.kind", name, "nobody has written that method yet");
  }
  const Target& target = config.target();
  if (!method->has_target && target.has_kind() &&
      target.kind() != Target::NONE) {
    return Refuse("target.kind", Target::Kind_Name(target.kind()),
                  absl::StrCat(name, " has no target network"));
  }
  return absl::OkStatus();
}

absl::Status CheckOptimizer(const Optimizer& optimizer) {
  if (FindOptimizer(optimizer.kind()) != nullptr) return absl::OkStatus();
  return Refuse("optimizer.kind", Optimizer::Kind_Name(optimizer.kind()),
                "nobody has written that optimizer yet");
}

}  // namespace

absl::Status ValidateConfig(const Config& config, int devices) {
  RETURN_IF_ERROR(CheckData(config.data()));
  RETURN_IF_ERROR(CheckModel(config.model()));
  RETURN_IF_ERROR(CheckImageSize(config.model(), "data.image_size",
                                 config.data().image_size()));
  RETURN_IF_ERROR(CheckImageSize(config.model(), "evaluation.image_size",
                                 config.evaluation().image_size()));
  RETURN_IF_ERROR(CheckMethod(config));
  RETURN_IF_ERROR(CheckPredictor(config.predictor()));
  RETURN_IF_ERROR(CheckOptimizer(config.optimizer()));
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
