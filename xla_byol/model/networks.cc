#include "xla_byol/model/networks.h"

#include <functional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Graph;
using graph::Scope;
using graph::Value;
using nn::BatchNormOptions;
using nn::Variables;
using nn::ViewLayout;
using nn::Views;

using Layers = std::function<Views(const Views&, const BatchNormOptions&)>;

// How many neighbouring replicas of `batch` images share batch norm's
// statistics; 0: all.
int64_t NormGroup(const Config& config, Value batch) {
  const int64_t images = config.model().batch_norm_images();
  const int64_t own = batch.dim(0);
  if (images == 0 || images >= own * batch.graph()->replicas()) return 0;
  if (images % own != 0) {
    batch.graph()->Fail(
        "batch_norm",
        absl::StrCat("statistics of ", images,
                     " images (model.batch_norm_images) are not those of a "
                     "whole number of devices with ",
                     own, " images each"));
    return 0;
  }
  return images / own;
}

// A function of one batch for both views. With joint statistics they are one
// batch of twice the images.
ViewPair ForBothViews(const Config& config, const ViewPair& inputs,
                      const ViewPair& rates, const Layers& layers) {
  const BatchNormOptions norm{.epsilon = config.model().batch_norm_epsilon(),
                              .rates = {rates.view1, rates.view2},
                              .group = NormGroup(config, inputs.view1)};
  if (!config.model().joint_statistics()) {
    const Views views = layers(Views::Apart({inputs.view1, inputs.view2}), norm)
                            .In(ViewLayout::kApart);
    return {views.parts()[0], views.parts()[1]};
  }
  const Value joined =
      layers(graph::Concatenate({inputs.view1, inputs.view2}, 0), norm).only();
  const int64_t batch = inputs.view1.dim(0);
  return {SliceAxis(joined, 0, 0, batch),
          SliceAxis(joined, 0, batch, 2 * batch)};
}

Views Projector(const Config& config, Variables& variables, const Views& views,
                const BatchNormOptions& norm) {
  Scope scope(variables.graph(), "projector");
  const Model& model = config.model();
  const Views x = views.In(LayoutFor(config));
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
      config, images, rates, [&](const Views& x, const BatchNormOptions& norm) {
        return Encode(config, variables, x, norm,
                      /*differentiated=*/name == "online");
      });
  const ViewPair projections =
      ForBothViews(config, features, rates,
                   [&](const Views& x, const BatchNormOptions& norm) {
                     return Projector(config, variables, x, norm);
                   });
  return {.features = features.view1, .projections = projections};
}

Value EncodeForEvaluation(const Config& config, Variables& variables,
                          absl::string_view name, Value images) {
  Scope scope(variables.graph(), name);
  return Encode(config, variables, images,
                {.epsilon = config.model().batch_norm_epsilon(),
                 .training = false},
                /*differentiated=*/false)
      .only();
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
  return ForBothViews(config, projections, rates,
                      [&](const Views& views, const BatchNormOptions& norm) {
                        const Views z = views.In(LayoutFor(config));
                        if (config.predictor().kind() == Predictor::MLP) {
                          return nn::Mlp(variables, z,
                                         config.predictor().hidden_size(), size,
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
                   config.data().classes(), /*bias=*/true)
      .only();
}

}  // namespace xla_byol
