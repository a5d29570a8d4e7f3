#include "xla_byol/model/networks.h"

#include <functional>
#include <vector>

#include "absl/types/span.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Graph;
using graph::Scope;
using graph::Value;
using nn::BatchNormOptions;
using nn::Variables;

using Layers = std::function<Value(Value, const BatchNormOptions&)>;

// A function of one batch for both views: one after the other, or as a single
// batch with statistics per view. The numbers are the same; the second is half
// the program.
ViewPair ForBothViews(const Config& config, const ViewPair& inputs,
                      const ViewPair& rates, const Layers& layers) {
  BatchNormOptions norm{.epsilon = config.model().batch_norm_epsilon()};
  if (!config.execution().join_views()) {
    norm.rates = {rates.view1};
    const Value view1 = layers(inputs.view1, norm);
    norm.rates = {rates.view2};
    return {view1, layers(inputs.view2, norm)};
  }
  norm.views = config.model().joint_statistics() ? 1 : 2;
  norm.rates = {rates.view1, rates.view2};
  const Value joined =
      layers(graph::Concatenate({inputs.view1, inputs.view2}, 0), norm);
  const int64_t batch = inputs.view1.dim(0);
  return {SliceAxis(joined, 0, 0, batch),
          SliceAxis(joined, 0, batch, 2 * batch)};
}

Value Projector(const Config& config, Variables& variables, Value x,
                const BatchNormOptions& norm) {
  Scope scope(variables.graph(), "projector");
  const Model& model = config.model();
  if (model.projector_sizes().empty()) {
    return nn::Mlp(variables, x, model.projector_hidden_size(),
                   model.projector_output_size(), norm);
  }
  std::vector<nn::HeadLayer> layers;
  for (int i = 0; i < model.projector_sizes_size(); ++i) {
    layers.push_back({.outputs = model.projector_sizes(i),
                      .bias = model.projector_bias(i),
                      .norm = model.projector_norms(i) != Model::NO_NORM,
                      .affine = model.projector_norms(i) == Model::BATCH});
  }
  return nn::Head(variables, x, layers, norm);
}

Value ChannelConstant(Graph& graph,
                      const google::protobuf::RepeatedField<float>& numbers) {
  return graph::DenseConstant<float>(
      graph, {numbers.size()},
      absl::MakeConstSpan(numbers.data(), static_cast<size_t>(numbers.size())));
}

}  // namespace

Value NormalizePixels(const Config& config, Value pixels, DType compute_type) {
  Graph& graph = *pixels.graph();
  const Value unit = pixels.dtype() == DType::kU8
                         ? Convert(pixels, DType::kF32) / 255.0
                         : pixels;
  const Value mean = ChannelConstant(graph, config.data().mean());
  const Value stddev = ChannelConstant(graph, config.data().stddev());
  return Convert((unit - mean) / stddev, compute_type);
}

Latents EncodeViews(const Config& config, Variables& variables,
                    absl::string_view name, const ViewPair& images,
                    const ViewPair& rates) {
  Scope scope(variables.graph(), name);
  const ViewPair features = ForBothViews(
      config, images, rates, [&](Value x, const BatchNormOptions& norm) {
        return Encode(config, variables, x, norm);
      });
  const ViewPair projections = ForBothViews(
      config, features, rates, [&](Value x, const BatchNormOptions& norm) {
        return Projector(config, variables, x, norm);
      });
  return {.features = features.view1, .projections = projections};
}

Value EncodeForEvaluation(const Config& config, Variables& variables,
                          absl::string_view name, Value images) {
  Scope scope(variables.graph(), name);
  return Encode(
      config, variables, images,
      {.epsilon = config.model().batch_norm_epsilon(), .training = false});
}

bool IsTrainedPredictor(Predictor::Kind kind) {
  return kind == Predictor::LINEAR || kind == Predictor::MLP;
}

ViewPair TrainedPredictions(const Config& config, Variables& variables,
                            const ViewPair& projections,
                            const ViewPair& rates) {
  Scope online(variables.graph(), "online");
  Scope scope(variables.graph(), "predictor");
  const int64_t size = config.model().projector_output_size();
  return ForBothViews(
      config, projections, rates, [&](Value z, const BatchNormOptions& norm) {
        if (config.predictor().kind() == Predictor::MLP) {
          return nn::Mlp(variables, z, config.predictor().hidden_size(), size,
                         norm, config.predictor().hidden_bias(),
                         config.predictor().output_bias());
        }
        Scope dense(variables.graph(), "dense");
        return nn::Dense(variables, z, size, /*bias=*/false);
      });
}

Value ProbeLogits(const Config& config, Variables& variables, Value features) {
  Scope online(variables.graph(), "online");
  Scope scope(variables.graph(), "probe");
  return nn::Dense(variables, Convert(features, DType::kF32),
                   config.data().classes(), /*bias=*/true);
}

}  // namespace xla_byol
