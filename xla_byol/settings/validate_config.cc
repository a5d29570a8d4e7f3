#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/text_format.h"
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
      {"model.batch_norm_images", 1.0 * model.batch_norm_images(), 0, kNoLimit},
  });
}

absl::Status CheckExecution(const Execution& execution) {
  return CheckRanges({
      {"execution.sliced_shortcuts_from",
       1.0 * execution.sliced_shortcuts_from(), 0, kNoLimit},
      {"execution.packed_below", 1.0 * execution.packed_below(), 0, kNoLimit},
      {"execution.derived_statistics_to",
       1.0 * execution.derived_statistics_to(), 0, kNoLimit},
  });
}

absl::Status CheckPredictor(const Predictor& predictor) {
  const predictors::ClosedForm* form =
      predictors::FindClosedForm(predictor.kind());
  if (form == nullptr && !IsTrainedPredictor(predictor.kind()) &&
      predictor.kind() != Predictor::IDENTITY) {
    return Refuse("predictor.kind", Predictor::Kind_Name(predictor.kind()),
                  "it is not implemented");
  }
  if (form != nullptr) {
    RETURN_IF_ERROR(CheckRanges({
        {"predictor.iterations", 1.0 * predictor.iterations(),
         form->iterations > 0 ? 1.0 : 0.0, 1.0 * form->max_iterations},
    }));
    if (predictor.average() == Predictor::COVARIANCE && !form->of_covariance) {
      return Refuse("predictor.average", "COVARIANCE",
                    absl::StrCat(Predictor::Kind_Name(predictor.kind()),
                                 " is not a function of the covariance alone; "
                                 "average the PREDICTOR"));
    }
  }
  if (predictor.train_between() && form == nullptr) {
    return Refuse("predictor.train_between", "true",
                  absl::StrCat(Predictor::Kind_Name(predictor.kind()),
                               " is not a closed form"));
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

// Groups of images, each with a P of its own.
absl::Status CheckGroups(const Config& config, int devices) {
  const Predictor& predictor = config.predictor();
  const int images = predictor.covariance_images();
  if (images == 0) return absl::OkStatus();
  constexpr char kField[] = "predictor.covariance_images";
  if (predictors::FindClosedForm(predictor.kind()) == nullptr) {
    return Refuse(kField, images,
                  absl::StrCat(Predictor::Kind_Name(predictor.kind()),
                               " is no closed form"));
  }
  if (predictor.average() == Predictor::COVARIANCE) {
    return Refuse(kField, images,
                  "there is one P of the averaged covariance, none of each "
                  "group; average the PREDICTOR");
  }
  const int batch = config.schedule().batch_size();
  if (images < 0 || batch % images != 0) {
    return Refuse(kField, images,
                  absl::StrCat("the batch of ", batch,
                               " does not divide into such groups"));
  }
  const int here = batch / devices;
  if (here % images != 0 && images % here != 0) {
    return Refuse(kField, images,
                  absl::StrCat("a device has ", here,
                               " images: it must hold whole groups, or a group "
                               "whole devices' images"));
  }
  return absl::OkStatus();
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

// Settings of the method, target and predictor that would do nothing.
absl::Status CheckUses(const Config& config, const MethodRow& row) {
  const std::string name = Method::Kind_Name(row.kind);
  const Target& target = config.target();
  if (!row.has_target) {
    const std::string reason = absl::StrCat(name, " has no target network");
    if (target.has_kind() && target.kind() != Target::NONE) {
      return Refuse("target.kind", Target::Kind_Name(target.kind()), reason);
    }
    if (target.copy_online()) {
      return Refuse("target.copy_online", "true", reason);
    }
  }
  const Predictor& predictor = config.predictor();
  const std::string kind = Predictor::Kind_Name(predictor.kind());
  if (!row.has_predictor && predictor.has_kind() &&
      predictor.kind() != Predictor::IDENTITY) {
    return Refuse("predictor.kind", kind,
                  absl::StrCat(name, " has no predictor"));
  }
  if (row.only_predictor.has_value() &&
      predictor.kind() != *row.only_predictor) {
    return Refuse("predictor.kind", kind,
                  absl::StrCat(name, " needs ",
                               Predictor::Kind_Name(*row.only_predictor)));
  }
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  const Method& method = config.method();
  method.GetReflection()->ListFields(method, &fields);
  for (const auto* field : fields) {
    const std::string field_name(field->name());
    bool used = field_name == "kind" || field_name == "loss_weight";
    for (const MethodSetting& setting : row.settings) {
      used = used || field_name == setting.field;
    }
    if (!used) {
      std::string value;
      google::protobuf::TextFormat::PrintFieldValueToString(method, field, -1,
                                                            &value);
      return Refuse(absl::StrCat("method.", field_name), value,
                    absl::StrCat(name, " has no use for it"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckMethod(const Config& config, int devices) {
  const Method& method = config.method();
  const std::string name = Method::Kind_Name(method.kind());
  if (FindMethod(method.kind()) == nullptr) {
    return Refuse("method.kind", name, "it is not implemented");
  }
  // BYOL's target settings have always been harmless without a target network.
  const MethodRow& row = MethodFor(config);
  if (row.kind == method.kind()) RETURN_IF_ERROR(CheckUses(config, row));
  RETURN_IF_ERROR(CheckRanges({
      {"method.loss_weight", method.loss_weight(), 1e-12, kNoLimit},
      {"method.invariance_weight", method.invariance_weight(), 0, kNoLimit},
      {"method.variance_weight", method.variance_weight(), 0, kNoLimit},
      {"method.covariance_weight", method.covariance_weight(), 0, kNoLimit},
      {"method.off_diagonal_weight", method.off_diagonal_weight(), 0, kNoLimit},
  }));
  if (method.has_scale()) {
    RETURN_IF_ERROR(
        CheckRanges({{"method.scale", method.scale(), 1e-6, kNoLimit}}));
  }
  if (!method.has_partitions()) return absl::OkStatus();
  const int parts = method.partitions();
  const int batch = config.schedule().batch_size();
  if (parts < 1 || batch % parts != 0) {
    return Refuse("method.partitions", parts,
                  absl::StrCat("the batch of ", batch,
                               " does not divide into so many equal parts"));
  }
  if (parts % devices != 0 && devices % parts != 0) {
    return Refuse(
        "method.partitions", parts,
        absl::StrCat("a part must lie on one or several whole ones "
                     "of the ",
                     devices, " devices, or a device hold several parts"));
  }
  return absl::OkStatus();
}

absl::Status CheckOptimizer(const Config& config) {
  const Optimizer& optimizer = config.optimizer();
  const std::string name = Optimizer::Kind_Name(optimizer.kind());
  if (FindOptimizer(optimizer.kind()) == nullptr) {
    return Refuse("optimizer.kind", name, "it is not implemented");
  }
  const auto of_another = [&name](const char* kind) {
    return absl::StrCat("it is ", kind, "'s, and optimizer.kind is ", name);
  };
  if (optimizer.nesterov() && optimizer.kind() != Optimizer::SGD) {
    return Refuse("optimizer.nesterov", "true", of_another("SGD"));
  }
  if (optimizer.clip_trust() && optimizer.kind() != Optimizer::LARS) {
    return Refuse("optimizer.clip_trust", "true", of_another("LARS"));
  }
  const bool trains_predictor =
      MethodFor(config).has_predictor &&
      (IsTrainedPredictor(config.predictor().kind()) ||
       config.predictor().train_between());
  if (optimizer.constant_predictor_rate() && !trains_predictor) {
    return Refuse("optimizer.constant_predictor_rate", "true",
                  "there is no trained predictor");
  }
  return CheckRanges({
      {"optimizer.beta1", optimizer.beta1(), 0, 1, false},
      {"optimizer.beta2", optimizer.beta2(), 0, 1, false},
      {"optimizer.epsilon", optimizer.epsilon(), 1e-30, 1},
      {"optimizer.vector_rate", optimizer.vector_rate(), 0, kNoLimit},
      {"optimizer.predictor_rate", optimizer.predictor_rate(), 0, kNoLimit},
      {"schedule.final_rate", config.schedule().final_rate(), 0, 1},
  });
}

absl::Status CheckProjector(const Config& config) {
  const Model& model = config.model();
  const int layers = model.projector_sizes_size();
  if (model.joint_statistics() && !config.execution().join_views()) {
    return Refuse("model.joint_statistics", "true",
                  "joint statistics need execution.join_views");
  }
  if (model.projector_bias_size() != layers ||
      model.projector_norms_size() != layers) {
    return Refuse(
        "model.projector_sizes",
        absl::StrCat("[", absl::StrJoin(model.projector_sizes(), ","), "]"),
        absl::StrCat("model.projector_bias has ", model.projector_bias_size(),
                     " and model.projector_norms ",
                     model.projector_norms_size(),
                     " entries; give one per layer"));
  }
  for (const int size : model.projector_sizes()) {
    RETURN_IF_ERROR(
        CheckRanges({{"model.projector_sizes", 1.0 * size, 1, kNoLimit}}));
  }
  if (layers == 0) return absl::OkStatus();
  if (model.projector_output_size() != model.projector_sizes(layers - 1)) {
    return Refuse("model.projector_output_size", model.projector_output_size(),
                  absl::StrCat("the last of model.projector_sizes is ",
                               model.projector_sizes(layers - 1)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateConfig(const Config& config, int devices) {
  RETURN_IF_ERROR(CheckData(config.data()));
  RETURN_IF_ERROR(CheckModel(config.model()));
  RETURN_IF_ERROR(CheckExecution(config.execution()));
  RETURN_IF_ERROR(CheckImageSize(config.model(), "data.image_size",
                                 config.data().image_size()));
  RETURN_IF_ERROR(CheckImageSize(config.model(), "evaluation.image_size",
                                 config.evaluation().image_size()));
  RETURN_IF_ERROR(CheckProjector(config));
  RETURN_IF_ERROR(CheckMethod(config, std::max(devices, 1)));
  if (MethodFor(config).has_predictor) {
    RETURN_IF_ERROR(CheckPredictor(config.predictor()));
  }
  RETURN_IF_ERROR(CheckOptimizer(config));
  RETURN_IF_ERROR(CheckTraining(config));
  if (config.data().classes() > 0) RETURN_IF_ERROR(CheckEvaluation(config));
  RETURN_IF_ERROR(CheckRecording(config.recording()));
  const int batch_size = config.schedule().batch_size();
  if (devices < 1 || batch_size % devices != 0) {
    return Refuse(
        "schedule.batch_size", batch_size,
        absl::StrCat("it must be divisible by the ", devices, " devices"));
  }
  if (!MethodFor(config).has_predictor) return absl::OkStatus();
  return CheckGroups(config, devices);
}

}  // namespace xla_byol
