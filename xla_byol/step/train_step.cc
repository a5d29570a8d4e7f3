#include "xla_byol/step/train_step.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "xla_byol/augment/augment.h"
#include "xla_byol/augment/augmentation_draws.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/methods/losses.h"
#include "xla_byol/methods/method.h"
#include "xla_byol/model/networks.h"
#include "xla_byol/optimizers/optimizer.h"
#include "xla_byol/predictors/closed_form.h"
#include "xla_byol/predictors/matrix_functions.h"
#include "xla_byol/program/program_builder.h"
#include "xla_byol/step/diagnostics.h"
#include "xla_byol/step/state.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Graph;
using graph::Scope;
using graph::Shape;
using graph::Value;

using State = absl::flat_hash_map<std::string, Value>;  // by path

// What the program is given.
struct Inputs {
  explicit Inputs(Graph& graph) : variables(graph) {}

  // Makes the program's input for one tensor of the state.
  Value Declare(const StateTensor& tensor);

  nn::Variables variables;  // both networks, their statistics
  State slots;              // the optimizer's, by path
  State predictor;          // closed forms' matrices, by path
  ViewPair views;
  ViewPair draws;  // with augmentation
  Value labels;
  Value learning_rate, tau, rho;
  ViewPair norm_rates;
  Value stop, step;  // with several processes
};

Value Inputs::Declare(const StateTensor& tensor) {
  Graph& graph = variables.graph();
  switch (tensor.role) {
    case TensorRole::kMomentum:
      return slots[tensor.path] = graph.Parameter(tensor.path, tensor.shape);
    case TensorRole::kPredictor:
      return predictor[tensor.path] =
                 graph.Parameter(tensor.path, tensor.shape);
    default:
      variables.Declare(VariableOf(tensor));
      return variables.all().back().value;
  }
}

// What it gives back.
struct Outputs {
  State state;
  NamedValues metrics;
  NamedValues diagnostics;
};

// P <- rho P + (1 - rho) (F(Z, Z') + alpha I), or F of a covariance averaged
// that way; a constant for the gradient.
Value NextPredictor(const Config& config, const predictors::ClosedForm& form,
                    const Inputs& in, const ViewPair& online,
                    const ViewPair& target, State& state) {
  Scope scope(in.variables.graph(), "predictor");
  ViewPair z = {online.view1, target.view2};
  if (config.predictor().both_views()) {
    z = {graph::Concatenate({online.view1, online.view2}, 0),
         graph::Concatenate({target.view2, target.view1}, 0)};
  }
  const auto average = [&](const char* path, Value now) {
    return state[path] = in.rho * in.predictor.at(path) + (1.0 - in.rho) * now;
  };
  predictors::LatentMoments moments = predictors::MomentsOf(
      z.view1, z.view2, config.predictor().normalize_covariance());
  const bool of_covariance =
      config.predictor().average() == Predictor::COVARIANCE;
  if (of_covariance) {
    moments.covariance = average("predictor/covariance", moments.covariance);
  }
  const Value p = predictors::BatchwisePredictor(
      form,
      {.iterations = config.predictor().iterations(),
       .ridge = config.predictor().ridge(),
       .visser_step = config.predictor().visser_step()},
      moments);
  if (of_covariance) return state["predictor/P"] = p;
  return average("predictor/P", p);
}

// What the predictor makes of the online latents.
struct Predictions {
  ViewPair views;
  Value p;  // a closed form's matrix
};

// A closed form of this batch's latents, trained layers, or nothing at all.
Predictions Predict(const Config& config, Inputs& in, const ViewPair& online,
                    const ViewPair& target, State& state) {
  const Predictor::Kind kind = config.predictor().kind();
  if (const auto* form = predictors::FindClosedForm(kind)) {
    const Value p = NextPredictor(config, *form, in, online, target, state);
    const auto predicted = [&p](Value z) {
      return predictors::Product(Convert(z, DType::kF32), p);
    };
    return {{predicted(online.view1), predicted(online.view2)}, p};
  }
  if (kind == Predictor::IDENTITY) return {online};
  return {TrainedPredictions(config, in.variables, online, in.norm_rates)};
}

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

// The optimizer's step for every tensor of the online network.
void FollowGradient(const Config& config, const Inputs& in, Value loss,
                    State& state) {
  std::vector<const nn::Variable*> trained;
  std::vector<Value> parameters;
  for (const nn::Variable& variable : in.variables.all()) {
    if (!absl::StartsWith(variable.path, "online/")) continue;
    trained.push_back(&variable);
    parameters.push_back(variable.value);
  }
  const std::vector<Value> gradients = Grad(loss, parameters);
  Scope scope(in.variables.graph(), "optimizer");
  const OptimizerRow& optimizer = *FindOptimizer(config.optimizer().kind());
  for (size_t i = 0; i < trained.size(); ++i) {
    std::vector<std::string> paths;
    std::vector<Value> slots;
    for (const absl::string_view slot : optimizer.slots) {
      paths.push_back(SlotPath(slot, trained[i]->path));
      slots.push_back(in.slots.at(paths.back()));
    }
    const UpdateResult update = UpdateTensor(
        config, parameters[i], gradients[i], slots, in.learning_rate);
    state[trained[i]->path] = update.parameter;
    for (size_t k = 0; k < paths.size(); ++k) state[paths[k]] = update.slots[k];
  }
}

// target <- tau target + (1 - tau) online, with the online network's new
// values.
void FollowOnline(const Inputs& in, State& state) {
  Scope scope(in.variables.graph(), "target_ema");
  for (const nn::Variable& variable : in.variables.all()) {
    if (!absl::StartsWith(variable.path, "target/")) continue;
    const Value online = state[OnlinePath(variable.path)];
    state[variable.path] =
        variable.value + (1.0 - in.tau) * (online - variable.value);
  }
}

void Diagnose(const Latents& online, const ViewPair& target, Value p,
              Outputs& out) {
  const auto add = [&out](const NamedValues& values) {
    out.diagnostics.insert(out.diagnostics.end(), values.begin(), values.end());
  };
  if (p.valid()) add(PredictorDiagnostics(p));
  add(LossDecomposition(online.projections, target));
  add({{"feature_std", UnitSpread(online.features)}});
  add({{"latent_covariance", LatentCovariance(online.projections.view1)}});
}

// What processes must agree on, in one small collective.
NamedValues Agreement(const Inputs& in) {
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
Outputs TrainStep(const Config& config, Inputs& in, DType compute_type,
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
  ViewPair target = online.projections;
  if (method.has_target) {
    target = EncodeViews(config, in.variables, "target", images, in.norm_rates)
                 .projections;
  }
  target = {StopGradient(target.view1), StopGradient(target.view2)};

  // The predictor, and what the method makes of it all.
  Predictions predictions = {online.projections};
  if (method.has_predictor) {
    predictions = Predict(config, in, online.projections, target, out.state);
  }
  Value p = predictions.p;
  const Value loss = method.loss(config, {.projections = online.projections,
                                          .targets = target,
                                          .predictions = predictions.views});
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
  if (p.valid()) finite = Minimum(finite, IsAllFinite(p));
  out.metrics.emplace_back("finite", finite);
  if (in.stop.valid()) {
    for (const auto& metric : Agreement(in)) out.metrics.push_back(metric);
  }
  if (diagnostics) {
    if (config.predictor().kind() == Predictor::LINEAR) {
      p = in.variables.Find("online/predictor/dense/w")->value;
    }
    Diagnose(online, target, p, out);
  }

  // The online network follows the gradient; the target follows the online one.
  FollowGradient(config, in, total, out.state);
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
                  Inputs& in) {
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

void DeclareScalars(const StepOptions& options, ProgramBuilder& builder,
                    Inputs& in) {
  const auto input = [&builder](const char* name) {
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

absl::StatusOr<NamedProgram> BuildTrainStep(const Config& config,
                                            const StepOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<StateTensor> layout, StateLayout(config));
  ProgramBuilder builder(
      "byol_step", {.replicas = options.replicas, .backend = options.backend});
  Inputs in(builder.graph());
  for (const StateTensor& tensor : layout) {
    builder.AdoptInput(tensor.path, tensor.role, in.Declare(tensor));
  }
  DeclareBatch(config, config.schedule().batch_size() / options.replicas,
               builder, in);
  DeclareScalars(options, builder, in);

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
