#include "tests/step/oracle_json.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "google/protobuf/repeated_field.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/methods/method.h"

namespace xla_byol {
namespace {

using Numbers = google::protobuf::RepeatedField<float>;

template <typename Name>
std::string Lower(const Name& name) {
  return absl::AsciiStrToLower(name);
}

void WriteMethod(const Config& config, JsonWriter& json) {
  const Method& method = config.method();
  json.Key("method").BeginObject();
  json.Field("kind", Lower(Method::Kind_Name(MethodFor(config).kind)));
  json.Field("loss_weight", method.loss_weight());
  json.Field("invariance_weight", method.invariance_weight());
  json.Field("variance_weight", method.variance_weight());
  json.Field("covariance_weight", method.covariance_weight());
  json.Field("off_diagonal_weight", method.off_diagonal_weight());
  json.Field("partitions", std::max(method.partitions(), 1));
  json.Field("scale", method.scale());
  json.Field("ordered", method.ordered());
  json.EndObject();
}

void WriteProjector(const Model& model, JsonWriter& json) {
  json.Key("projector_layers").BeginArray();
  for (int i = 0; i < model.projector_sizes_size(); ++i) {
    json.BeginArray();
    json.Value(model.projector_sizes(i));
    json.Value(model.projector_bias(i));
    json.Value(Lower(Model::Norm_Name(model.projector_norms(i))));
    json.EndArray();
  }
  json.EndArray();
}

void WriteOptimizer(const Optimizer& optimizer, JsonWriter& json) {
  json.Field("optimizer", Lower(Optimizer::Kind_Name(optimizer.kind())));
  json.Field("nesterov", optimizer.nesterov());
  json.Field("beta1", optimizer.beta1());
  json.Field("beta2", optimizer.beta2());
  json.Field("epsilon", optimizer.epsilon());
  const bool by_kind = optimizer.decayed() == Optimizer::BY_KIND;
  json.Field("decays_vectors", by_kind ? optimizer.kind() == Optimizer::SGD
                                       : optimizer.decayed() == Optimizer::ALL);
  json.Field("vector_rate", optimizer.vector_rate());
  json.Field("predictor_rate", optimizer.predictor_rate());
  json.Field("constant_predictor_rate", optimizer.constant_predictor_rate());
  json.Field("weight_decay", optimizer.weight_decay());
  json.Field("momentum", optimizer.momentum());
  json.Field("trust_coefficient", optimizer.trust_coefficient());
  json.Field("clip_trust", optimizer.clip_trust());
}

void WritePredictor(const Predictor& predictor, JsonWriter& json) {
  json.Key("predictor").BeginObject();
  json.Field("kind",
             absl::AsciiStrToLower(Predictor::Kind_Name(predictor.kind())));
  if (predictor.kind() == Predictor::MLP) {
    json.Field("hidden", predictor.hidden_size());
  }
  json.Field("iterations", predictor.iterations());
  // DirectPred's ridge is what its authors call epsilon.
  const bool directpred = predictor.kind() == Predictor::DIRECTPRED;
  json.Field("ridge", directpred ? 0.0f : predictor.ridge());
  if (directpred) json.Field("directpred_epsilon", predictor.ridge());
  json.Field("visser_step", predictor.visser_step());
  json.Field("ema_of", predictor.average() == Predictor::COVARIANCE
                           ? "covariance"
                           : "predictor");
  json.Field("normalize_covariance", predictor.normalize_covariance());
  json.Field("both_views", predictor.both_views());
  json.Field("covariance_images", predictor.covariance_images());
  json.Field("hidden_bias", predictor.hidden_bias());
  json.Field("output_bias", predictor.output_bias());
  json.Field("train_between", predictor.train_between());
  json.EndObject();
}

}  // namespace

std::string OracleJson(const Config& config, int steps) {
  const Model& model = config.model();
  JsonWriter json;
  json.BeginObject();
  json.Field("architecture", model.architecture());
  json.Field("stem", absl::AsciiStrToLower(Model::Stem_Name(model.stem())));
  json.Field("padding",
             absl::AsciiStrToLower(Model::Padding_Name(model.padding())));
  json.Field("width_multiplier", model.width_multiplier());
  json.Field("base_channels", model.base_channels());
  json.Field("channels", config.data().channels());
  json.Field("projector_hidden", model.projector_hidden_size());
  json.Field("projector_out", model.projector_output_size());
  json.Field("classes", config.data().classes());
  json.Field("joint_statistics", model.joint_statistics());
  json.Field("target", MethodFor(config).has_target ? "ema" : "none");
  WriteOptimizer(config.optimizer(), json);
  json.Field("steps", steps);
  json.Field("augmentation", config.data().augmentation());
  for (const auto& [key, numbers] :
       {std::pair<const char*, const Numbers*>{"mean", &config.data().mean()},
        {"std", &config.data().stddev()}}) {
    json.Key(key).BeginArray();
    for (const float number : *numbers) json.Value(number);
    json.EndArray();
  }
  WriteMethod(config, json);
  WriteProjector(model, json);
  WritePredictor(config.predictor(), json);
  json.EndObject();
  return json.text();
}

}  // namespace xla_byol
