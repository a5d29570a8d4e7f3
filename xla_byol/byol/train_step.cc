#include "xla_byol/byol/train_step.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/byol/config.h"
#include "xla_byol/byol/lars.h"
#include "xla_byol/byol/losses.h"
#include "xla_byol/byol/networks.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/predictors/closed_form.h"
#include "xla_byol/predictors/matrix_functions.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Graph;
using graph::Output;
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
  State momentum;           // by path
  Value predictor;          // P, for closed forms
  Value view1, view2, labels;
  Value learning_rate, tau, rho;
  ViewPair norm_rates;
};

Value Inputs::Declare(const StateTensor& tensor) {
  Graph& graph = variables.graph();
  switch (tensor.role) {
    case TensorRole::kMomentum:
      return momentum[tensor.path] = graph.Parameter(tensor.path, tensor.shape);
    case TensorRole::kPredictor:
      return predictor = graph.Parameter(tensor.path, tensor.shape);
    default:
      variables.Declare({.path = tensor.path,
                         .role = tensor.role == TensorRole::kBatchStats
                                     ? nn::Role::kStatistic
                                     : nn::Role::kParameter,
                         .shape = tensor.shape,
                         .initializer = tensor.initializer});
      return variables.all().back().value;
  }
}

// What it gives back.
struct Outputs {
  State state;
  std::vector<std::pair<std::string, Value>> metrics;
};

predictors::ClosedFormOptions ClosedFormOptionsFor(const Config& config) {
  const Predictor& predictor = config.predictor();
  return {.form = predictors::ClosedForm::kNewtonSchulz,
          .iterations = predictor.iterations(),
          .ridge = predictor.ridge(),
          .normalize_covariance = predictor.normalize_covariance()};
}

LarsOptions LarsOptionsFor(const Config& config) {
  const Optimizer& optimizer = config.optimizer();
  return {.weight_decay = optimizer.weight_decay(),
          .momentum = optimizer.momentum(),
          .trust_coefficient = optimizer.trust_coefficient(),
          .clip_trust = optimizer.clip_trust(),
          .sharded = config.execution().sharded_update()};
}

// P <- rho P + (1 - rho) (F(Z, Z') + alpha I); a constant for the gradient.
Value NextPredictor(const Config& config, const Inputs& in,
                    const ViewPair& online, const ViewPair& target) {
  Scope scope(in.variables.graph(), "predictor");
  ViewPair z = {online.view1, target.view2};
  if (config.predictor().both_views()) {
    z = {graph::Concatenate({online.view1, online.view2}, 0),
         graph::Concatenate({target.view2, target.view1}, 0)};
  }
  const Value batchwise = predictors::BatchwisePredictor(
      ClosedFormOptionsFor(config), predictors::MomentsOf(z.view1, z.view2));
  return in.rho * in.predictor + (1.0 - in.rho) * batchwise;
}

Value Predicted(Value z, Value p) {
  return predictors::Product(Convert(z, DType::kF32), p);
}

// The mean over coordinates of the latents' standard deviation once their
// lengths are 1: about 1 / sqrt(f) in health, 0 when all images look alike.
Value LatentSpread(Value z) {
  z = Convert(z, DType::kF32);
  const Value unit =
      z * Rsqrt(Maximum(ReduceSum(Square(z), {1}, /*keep_dims=*/true), 1e-12));
  const Value mean = AllReduceMean(ReduceMean(unit, {0}));
  const Value squares = AllReduceMean(ReduceMean(Square(unit), {0}));
  return Mean(Sqrt(Maximum(squares - Square(mean), 0.0)));
}

// LARS on every tensor of the online network.
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
  for (size_t i = 0; i < trained.size(); ++i) {
    const std::string momentum = MomentumPath(trained[i]->path);
    const LarsUpdate update =
        Lars(LarsOptionsFor(config), parameters[i], gradients[i],
             in.momentum.at(momentum), in.learning_rate);
    state[trained[i]->path] = update.parameter;
    state[momentum] = update.momentum;
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

// From views and state to new state: the algorithm, line by line.
Outputs TrainStep(const Config& config, Inputs& in, DType compute_type) {
  Outputs out;

  // Latents of both views in both networks. Without a target network
  // (SimSiam) the online one takes its place, its gradient stopped.
  const ViewPair images = {NormalizePixels(config, in.view1, compute_type),
                           NormalizePixels(config, in.view2, compute_type)};
  const Latents online =
      EncodeViews(config, in.variables, "online", images, in.norm_rates);
  ViewPair target = online.projections;
  if (config.target().kind() == Target::EMA) {
    target = EncodeViews(config, in.variables, "target", images, in.norm_rates)
                 .projections;
  }
  target = {StopGradient(target.view1), StopGradient(target.view2)};

  // The predictor: a closed form of this batch's latents, or trained layers.
  ViewPair predictions = online.projections;
  const Predictor::Kind kind = config.predictor().kind();
  if (IsClosedForm(kind)) {
    const Value p = NextPredictor(config, in, online.projections, target);
    predictions = {Predicted(online.projections.view1, p),
                   Predicted(online.projections.view2, p)};
    out.state["predictor/P"] = p;
  } else if (kind != Predictor::IDENTITY) {
    predictions = TrainedPredictions(config, in.variables, online.projections,
                                     in.norm_rates);
  }

  // Each view's prediction meets the other view's target.
  const Value loss = RegressionLoss(predictions.view1, target.view2) +
                     RegressionLoss(predictions.view2, target.view1);
  out.metrics.emplace_back("loss", AllReduce(loss));
  Value total = loss;
  if (config.data().classes() > 0) {
    const ProbeResult probe = ProbeLoss(
        ProbeLogits(config, in.variables, StopGradient(online.features)),
        in.labels);
    total = loss + probe.loss;
    out.metrics.emplace_back("probe_loss", AllReduce(probe.loss));
    out.metrics.emplace_back("probe_accuracy", AllReduce(probe.accuracy));
  }
  out.metrics.emplace_back("latent_std",
                           LatentSpread(online.projections.view1));

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

}  // namespace

graph::DType ComputeType(const Config& config, graph::Target target) {
  switch (config.execution().compute_type()) {
    case Execution::F32:
      return DType::kF32;
    case Execution::BF16:
      return DType::kBF16;
    case Execution::PLATFORM:
      break;
  }
  return target == graph::Target::kCpu ? DType::kF32 : DType::kBF16;
}

absl::StatusOr<StepProgram> BuildTrainStep(const Config& config,
                                           const StepOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<StateTensor> layout, StateLayout(config));
  Graph graph(options.replicas);
  StepProgram step;
  const auto input = [&](absl::string_view name, TensorRole role, Shape shape) {
    step.inputs.push_back({std::string(name), role, shape});
    return graph.Parameter(name, shape);
  };

  Inputs in(graph);
  std::vector<Value> state;
  for (const StateTensor& tensor : layout) {
    step.inputs.push_back({tensor.path, tensor.role, tensor.shape});
    state.push_back(in.Declare(tensor));
  }
  step.state_tensors = static_cast<int>(layout.size());
  const int64_t batch = config.schedule().batch_size() / options.replicas;
  const int64_t size = config.data().image_size();
  const Shape pixels{DType::kU8, {batch, size, size, config.data().channels()}};
  in.view1 = input("view1", TensorRole::kBatch, pixels);
  in.view2 = input("view2", TensorRole::kBatch, pixels);
  in.labels = input("labels", TensorRole::kBatch, {DType::kS32, {batch}});
  for (const auto& [name, value] :
       {std::pair<const char*, Value*>{"learning_rate", &in.learning_rate},
        {"target_decay", &in.tau},
        {"predictor_decay", &in.rho},
        {"batch_norm_rate1", &in.norm_rates.view1},
        {"batch_norm_rate2", &in.norm_rates.view2}}) {
    *value = input(name, TensorRole::kScalar, {DType::kF32, {}});
  }

  Outputs out = TrainStep(config, in, ComputeType(config, options.target));

  std::vector<Output> outputs;
  for (size_t i = 0; i < layout.size(); ++i) {
    step.outputs.push_back(step.inputs[i]);
    outputs.push_back({layout[i].path, out.state[layout[i].path], state[i]});
  }
  for (const auto& [name, value] : out.metrics) {
    step.outputs.push_back({name, TensorRole::kMetric, value.shape()});
    outputs.push_back({name, value});
  }
  ASSIGN_OR_RETURN(
      step.program,
      Finish(graph, outputs, {.name = "byol_step", .target = options.target}));
  return step;
}

}  // namespace xla_byol
