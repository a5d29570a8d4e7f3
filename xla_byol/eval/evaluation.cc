#include "xla_byol/eval/evaluation.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla_byol/augment/augment.h"
#include "xla_byol/augment/augmentation_draws.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/methods/losses.h"
#include "xla_byol/model/encoder.h"
#include "xla_byol/model/networks.h"
#include "xla_byol/step/state.h"
#include "xla_byol/step/train_step.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Shape;
using graph::Value;

// A new input `name` of `batch` images, as the network wants them.
Value ImagesInput(const Config& config, absl::string_view name, int64_t batch,
                  DType type, ProgramBuilder& builder) {
  const int64_t size = config.evaluation().image_size();
  const Shape pixels{DType::kU8, {batch, size, size, config.data().channels()}};
  return NormalizePixels(config,
                         builder.Input(name, TensorRole::kBatch, pixels), type);
}

// The features of such images, with the encoder's parameters and statistics as
// inputs too.
absl::StatusOr<Value> EncodeInput(const Config& config, absl::string_view name,
                                  int64_t batch, const ProgramOptions& options,
                                  bool own_statistics,
                                  ProgramBuilder& builder) {
  ASSIGN_OR_RETURN(const std::vector<StateTensor> layout, StateLayout(config));
  nn::Variables variables(builder.graph());
  for (const StateTensor& tensor : layout) {
    if (!absl::StartsWith(tensor.path, "batch_stats/online/resnet/") &&
        !absl::StartsWith(tensor.path, "online/resnet/")) {
      continue;
    }
    variables.Declare(VariableOf(tensor));
    builder.AdoptInput(tensor.path, tensor.role, variables.all().back().value);
  }
  const Value images = ImagesInput(
      config, name, batch, ComputeType(config, options.backend), builder);
  if (!own_statistics) {
    return Convert(EncodeForEvaluation(config, variables, "online", images),
                   DType::kF32);
  }
  graph::Scope scope(variables.graph(), "online");
  const nn::Views features =
      Encode(config, variables, images,
             {.epsilon = config.model().batch_norm_epsilon()},
             /*differentiated=*/false);
  return Convert(features.only(), DType::kF32);
}

}  // namespace

absl::StatusOr<NamedProgram> BuildEncode(const Config& config, int64_t batch,
                                         const ProgramOptions& options,
                                         FeatureSource source) {
  ProgramBuilder builder("encode", options);
  if (source == FeatureSource::kPixels) {
    const Value pixels =
        ImagesInput(config, "images", batch, DType::kF32, builder);
    builder.Output("features", TensorRole::kMetric,
                   Reshape(pixels, {batch, pixels.dim(1) * pixels.dim(2) *
                                               pixels.dim(3)}));
    return builder.Finish();
  }
  ASSIGN_OR_RETURN(const Value features,
                   EncodeInput(config, "images", batch, options,
                               source == FeatureSource::kUntrained, builder));
  builder.Output("features", TensorRole::kMetric, features);
  return builder.Finish();
}

absl::StatusOr<NamedProgram> BuildEncodeRows(const Config& config,
                                             int64_t chunk, int64_t rows,
                                             const ProgramOptions& options) {
  ProgramBuilder builder("encode_rows", options);
  ASSIGN_OR_RETURN(const Value encoded,
                   EncodeInput(config, "crops", chunk, options,
                               /*own_statistics=*/false, builder));
  const Value at = builder.Input("at", TensorRole::kScalar, {DType::kS32, {}});
  const Value features = builder.Input("features", TensorRole::kBatch,
                                       {DType::kF32, {rows, encoded.dim(1)}});
  builder.Update("features", DynamicUpdateSlice(features, encoded,
                                                {at, ScalarLike(at, 0)}));
  return builder.Finish();
}

absl::StatusOr<NamedProgram> BuildDealRows(int64_t batch, int64_t features,
                                           const ProgramOptions& options) {
  const int64_t b = batch / options.replicas;
  ProgramBuilder builder("deal_rows", options);
  const Value rows = builder.Input("rows", TensorRole::kBatch,
                                   {DType::kF32, {batch, features}});
  const Value row_labels =
      builder.Input("row_labels", TensorRole::kBatch, {DType::kF32, {batch}});
  builder.Input("features", TensorRole::kBatch, {DType::kF32, {b, features}});
  builder.Input("labels", TensorRole::kBatch, {DType::kS32, {b}});
  builder.Update("features", ReduceScatter(rows, 0));
  builder.Update("labels",
                 Convert(ReduceScatter(row_labels, 0) - 1.0, DType::kS32));
  return builder.Finish();
}

absl::StatusOr<NamedProgram> BuildAugment(const Config& config, int64_t batch,
                                          const ProgramOptions& options) {
  const int64_t size = config.data().image_size();
  ProgramBuilder builder("augment", options);
  const Value images = builder.Input(
      "pixels", TensorRole::kBatch,
      {DType::kU8, {batch, size, size, config.data().channels()}});
  const Value draws = builder.Input("draws", TensorRole::kBatch,
                                    {DType::kF32, {batch, kAugmentationDraws}});
  const Value view = Augment(images, draws);
  builder.Output("augmented", TensorRole::kMetric,
                 Convert(Clamp(0.0, view * 255.0 + 0.5, 255.0), DType::kU8));
  return builder.Finish();
}

absl::StatusOr<NamedProgram> BuildProbeStep(const ProbeOptions& probe,
                                            const ProgramOptions& options) {
  if (probe.batch % options.replicas != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the probe's batch of ", probe.batch,
                     " does not divide by the ", options.replicas, " devices"));
  }
  const int64_t k = probe.candidates, n = probe.features, c = probe.classes;
  const int64_t b = probe.batch / options.replicas;
  const Shape matrix{DType::kF32, {k, n, c}};
  const Shape vector{DType::kF32, {k, c}};
  ProgramBuilder builder("probe_step", options);
  const char* const names[] = {"w", "b"};
  const std::vector<Value> parameters = {
      builder.Input("w", TensorRole::kOnline, matrix),
      builder.Input("b", TensorRole::kOnline, vector)};
  const std::vector<Value> momenta = {
      builder.Input("momentum/w", TensorRole::kMomentum, matrix),
      builder.Input("momentum/b", TensorRole::kMomentum, vector)};
  const Value features =
      builder.Input("features", TensorRole::kBatch, {DType::kF32, {b, n}});
  const Value labels =
      builder.Input("labels", TensorRole::kBatch, {DType::kS32, {b}});
  const Value rates =
      builder.Input("learning_rates", TensorRole::kScalar, {DType::kF32, {k}});

  const Value logits = DotGeneral(features, parameters[0],
                                  {.lhs_contract = {1}, .rhs_contract = {1}}) +
                       parameters[1];  // [b,n] x [k,n,c] -> [b,k,c]
  const ProbeResult losses = ProbeLosses(logits, labels);
  const std::vector<Value> gradients = Grad(Sum(losses.loss), parameters);

  std::vector<Value> next, next_momenta;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Value g = AllReduce(gradients[i]);
    const Value m = probe.momentum * momenta[i] + g;
    graph::Dims per_candidate(parameters[i].dims().size(), 1);
    per_candidate[0] = k;
    const Value rate = Reshape(rates, per_candidate);
    next.push_back(parameters[i] - rate * (g + probe.momentum * m));
    next_momenta.push_back(m);
  }
  for (size_t i = 0; i < next.size(); ++i) builder.Update(names[i], next[i]);
  for (size_t i = 0; i < next.size(); ++i) {
    builder.Update(absl::StrCat("momentum/", names[i]), next_momenta[i]);
  }
  builder.Output("loss", TensorRole::kMetric, AllReduce(losses.loss));
  builder.Output("accuracy", TensorRole::kMetric, AllReduce(losses.accuracy));
  return builder.Finish();
}

}  // namespace xla_byol
