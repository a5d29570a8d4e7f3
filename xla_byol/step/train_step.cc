#include "xla_byol/step/train_step.h"

#include <utility>

#include "absl/strings/string_view.h"
#include "xla_byol/augment/augment.h"
#include "xla_byol/augment/augmentation_draws.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/methods/global_batch.h"
#include "xla_byol/methods/losses.h"
#include "xla_byol/methods/method.h"
#include "xla_byol/model/execution_table.h"
#include "xla_byol/model/networks.h"
#include "xla_byol/optimizers/optimizer.h"
#include "xla_byol/program/program_builder.h"
#include "xla_byol/step/diagnostics.h"
#include "xla_byol/step/predict.h"
#include "xla_byol/step/state.h"
#include "xla_byol/step/step_inputs.h"
#include "xla_byol/step/updates.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Graph;
using graph::Scope;
using graph::Shape;
using graph::Value;

// What it gives back.
struct Outputs {
  ValuesByPath state;
  NamedValues metrics;
  NamedValues diagnostics;
};

Value IsAllFinite(Value x) {
  graph::Dims axes;
  for (int64_t i = 0; i < x.rank(); ++i) axes.push_back(i);
  const Value finite = Convert(IsFinite(x), DType::kF32);
  return axes.empty() ? finite : ReduceMin(finite, axes);
}

// The pixels of one view as the network wants them.
Value Images(const Config& config, Value view, Value draws, DType type) {
  if (draws.valid()) view = Augment(view, draws);
  return NormalizePixels(config, view, type);
}

void Diagnose(const Latents& online, const ViewPair& latents,
              const ViewPair& target, Value p, Outputs& out) {
  const auto add = [&out](const NamedValues& values) {
    out.diagnostics.insert(out.diagnostics.end(), values.begin(), values.end());
  };
  if (p.valid()) add(PredictorDiagnostics(p));
  add(LossDecomposition(latents, target));
  add({{"feature_std", UnitSpread(online.features)}});
  add({{"latent_covariance", LatentCovariance(online.projections.view1)}});
}

// What processes must agree on, in one small collective.
NamedValues Agreement(const StepInputs& in) {
  Scope scope(in.variables.graph(), "agreement");
  const auto row = [](Value x) { return Reshape(x, {1}); };
  const Value most = AllReduce(
      graph::Concatenate({row(in.stop), row(in.step), row(-in.step)}, 0),
      graph::Combiner::kMax);
  const auto at = [&most](int64_t i) {
    return Reshape(SliceAxis(most, 0, i, i + 1), {});
  };
  return {{"stop", at(0)}, {"step_spread", at(1) + at(2)}};
}

// From views and state to new state: the algorithm, line by line.
Outputs TrainStep(const Config& config, StepInputs& in, DType compute_type,
                  bool diagnostics) {
  Outputs out;

  // Latents of both views in both networks. Without a target network the
  // online one takes its place, its gradient stopped.
  const MethodRow& method = MethodFor(config);
  const ViewPair images = {
      Images(config, in.views.view1, in.draws.view1, compute_type),
      Images(config, in.views.view2, in.draws.view2, compute_type)};
  const Latents online =
      EncodeViews(config, in.variables, "online", images, in.norm_rates);
  ViewPair latents = online.projections;
  if (method.standardizes) {
    Scope scope(in.variables.graph(), "standardized");
    latents = {Standardized(latents.view1), Standardized(latents.view2)};
  }
  ViewPair target = latents;
  if (method.has_target) {
    target = EncodeViews(config, in.variables, "target", images, in.norm_rates)
                 .projections;
  }
  target = {StopGradient(target.view1), StopGradient(target.view2)};

  // The predictor, and what the method makes of it all.
  Predictions predictions = {latents};
  if (method.has_predictor) {
    predictions = Predict(config, in, latents, target, out.state);
  }
  Value loss = method.loss(config, {.projections = latents,
                                    .targets = target,
                                    .predictions = predictions.views,
                                    .predictor = predictions.matrix});
  const double weight = config.method().loss_weight();
  if (weight != 1) loss = weight * loss;
  const Value global_loss = AllReduce(loss);
  out.metrics.emplace_back("loss", global_loss);
  Value total = loss;
  if (config.data().classes() > 0) {
    const ProbeResult probe = ProbeLoss(
        ProbeLogits(config, in.variables, StopGradient(online.features)),
        in.labels);
    total = loss + probe.loss;
    out.metrics.emplace_back("probe_loss", AllReduce(probe.loss));
    out.metrics.emplace_back("probe_accuracy", AllReduce(probe.accuracy));
  }
  out.metrics.emplace_back("latent_std", UnitSpread(online.projections.view1));
  Value finite = IsAllFinite(global_loss);
  if (predictions.closed_form.valid()) {
    finite = Minimum(finite, IsAllFinite(predictions.closed_form));
  }
  out.metrics.emplace_back("finite", finite);
  if (in.stop.valid()) {
    for (const auto& metric : Agreement(in)) out.metrics.push_back(metric);
  }
  if (diagnostics) {
    Diagnose(online, latents, target, predictions.matrix, out);
  }

  // The online network follows the gradient; the target follows the online one.
  FollowGradient(config, in, total, predictions, out.state);
  FollowOnline(in, out.state);
  for (const nn::Variable& variable : in.variables.all()) {
    if (variable.role == nn::Role::kStatistic) {
      out.state[variable.path] = variable.update;
    }
  }
  return out;
}

// One device's images, labels and random numbers.
void DeclareBatch(const Config& config, int64_t batch, ProgramBuilder& builder,
                  StepInputs& in) {
  const auto input = [&builder](const char* name, Shape shape) {
    return builder.Input(name, TensorRole::kBatch, shape);
  };
  const int64_t size = config.data().image_size();
  const Shape pixels{DType::kU8, {batch, size, size, config.data().channels()}};
  in.views.view1 = input("view1", pixels);
  in.views.view2 = input("view2", pixels);
  in.labels = input("labels", {DType::kS32, {batch}});
  if (config.data().augmentation()) {
    const Shape draws{DType::kF32, {batch, kAugmentationDraws}};
    in.draws.view1 = input("draws1", draws);
    in.draws.view2 = input("draws2", draws);
  }
}

void DeclareScalars(const Config& config, const StepOptions& options,
                    ProgramBuilder& builder, StepInputs& in) {
  const auto input = [&builder](absl::string_view name) {
    return builder.Input(name, TensorRole::kScalar, {DType::kF32, {}});
  };
  in.learning_rate = input("learning_rate");
  in.tau = input("target_decay");
  in.rho = input("predictor_decay");
  in.norm_rates.view1 = input("batch_norm_rate1");
  in.norm_rates.view2 = input("batch_norm_rate2");
  if (options.processes > 1) {
    in.stop = input("stop");
    in.step = input("step");
  }
  if (config.optimizer().constant_predictor_rate()) {
    in.predictor_learning_rate = input("predictor_learning_rate");
  }
  if (config.predictor().train_between()) {
    in.predictor_set = input("predictor_set");
  }
  for (const absl::string_view name :
       FindOptimizer(config.optimizer().kind())->scalars) {
    in.optimizer_scalars.push_back(input(name));
  }
}

}  // namespace

graph::DType ComputeType(const Config& config, graph::Backend backend) {
  switch (config.execution().compute_type()) {
    case Execution::F32:
      return DType::kF32;
    case Execution::BF16:
      return DType::kBF16;
    case Execution::PLATFORM:
      break;
  }
  return backend == graph::Backend::kCpu ? DType::kF32 : DType::kBF16;
}

absl::StatusOr<NamedProgram> BuildTrainStep(const Config& given,
                                            const StepOptions& options) {
  const Config config = WithPlatformsExecution(given, options.backend);
  ASSIGN_OR_RETURN(const std::vector<StateTensor> layout, StateLayout(config));
  ProgramBuilder builder(
      "byol_step", {.replicas = options.replicas, .backend = options.backend});
  StepInputs in(builder.graph());
  for (const StateTensor& tensor : layout) {
    builder.AdoptInput(tensor.path, tensor.role, in.Declare(tensor));
  }
  DeclareBatch(config, config.schedule().batch_size() / options.replicas,
               builder, in);
  DeclareScalars(config, options, builder, in);

  Outputs out = TrainStep(config, in, ComputeType(config, options.backend),
                          options.diagnostics);

  for (const StateTensor& tensor : layout) {
    builder.Update(tensor.path, out.state[tensor.path]);
  }
  for (const auto& [name, value] : out.metrics) {
    builder.Output(name, TensorRole::kMetric, value);
  }
  for (const auto& [name, value] : out.diagnostics) {
    builder.Output(name, TensorRole::kDiagnostic, value);
  }
  return builder.Finish();
}

}  // namespace xla_byol
