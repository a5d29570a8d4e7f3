#include "xla_byol/eval/evaluation.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/augment/augment.h"
#include "xla_byol/augment/augmentation_draws.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/methods/losses.h"
#include "xla_byol/model/networks.h"
#include "xla_byol/step/state.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Graph;
using graph::Output;
using graph::Shape;
using graph::Value;

}  // namespace

absl::StatusOr<StepProgram> BuildEncode(const Config& config, int64_t batch,
                                        const StepOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<StateTensor> layout, StateLayout(config));
  Graph graph(options.replicas);
  nn::Variables variables(graph);
  StepProgram encode;
  for (const StateTensor& tensor : layout) {
    if (!absl::StartsWith(tensor.path, "batch_stats/online/resnet/") &&
        !absl::StartsWith(tensor.path, "online/resnet/")) {
      continue;
    }
    variables.Declare(VariableOf(tensor));
    encode.inputs.push_back({tensor.path, tensor.role, tensor.shape});
  }
  encode.state_tensors = static_cast<int>(encode.inputs.size());
  const int64_t size = config.evaluation().image_size();
  const Shape pixels{DType::kU8, {batch, size, size, config.data().channels()}};
  encode.inputs.push_back({"images", TensorRole::kBatch, pixels});
  const Value images =
      NormalizePixels(config, graph.Parameter("images", pixels),
                      ComputeType(config, options.target));
  const Value features = Convert(
      EncodeForEvaluation(config, variables, "online", images), DType::kF32);
  encode.outputs = {{"features", TensorRole::kMetric, features.shape()}};
  ASSIGN_OR_RETURN(encode.program,
                   Finish(graph, {{"features", features}},
                          {.name = "encode", .target = options.target}));
  return encode;
}

absl::StatusOr<StepProgram> BuildAugment(const Config& config, int64_t batch,
                                         const StepOptions& options) {
  const int64_t size = config.data().image_size();
  const Shape pixels{DType::kU8, {batch, size, size, config.data().channels()}};
  const Shape draws{DType::kF32, {batch, kAugmentationDraws}};
  Graph graph(options.replicas);
  StepProgram program;
  program.inputs = {{"pixels", TensorRole::kBatch, pixels},
                    {"draws", TensorRole::kBatch, draws}};
  program.outputs = {{"augmented", TensorRole::kMetric, pixels}};
  const Value images = graph.Parameter("pixels", pixels);
  const Value view = Augment(images, graph.Parameter("draws", draws));
  const Value rounded =
      Convert(Clamp(0.0, view * 255.0 + 0.5, 255.0), DType::kU8);
  ASSIGN_OR_RETURN(program.program,
                   Finish(graph, {{"augmented", rounded}},
                          {.name = "augment", .target = options.target}));
  return program;
}

absl::StatusOr<StepProgram> BuildProbeStep(const ProbeOptions& probe,
                                           const StepOptions& options) {
  if (probe.batch % options.replicas != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the probe's batch of ", probe.batch,
                     " does not divide by the ", options.replicas, " devices"));
  }
  Graph graph(options.replicas);
  StepProgram step;
  const auto input = [&](const char* name, TensorRole role, Shape shape) {
    step.inputs.push_back({name, role, shape});
    return graph.Parameter(name, shape);
  };
  const int64_t k = probe.candidates, n = probe.features, c = probe.classes;
  const int64_t b = probe.batch / options.replicas;
  const Shape matrix{DType::kF32, {k, n, c}};
  const Shape vector{DType::kF32, {k, c}};
  const std::vector<Value> parameters = {
      input("w", TensorRole::kOnline, matrix),
      input("b", TensorRole::kOnline, vector)};
  const std::vector<Value> momenta = {
      input("momentum/w", TensorRole::kMomentum, matrix),
      input("momentum/b", TensorRole::kMomentum, vector)};
  step.state_tensors = 4;
  const Value features =
      input("features", TensorRole::kBatch, {DType::kF32, {b, n}});
  const Value labels = input("labels", TensorRole::kBatch, {DType::kS32, {b}});
  const Value rates =
      input("learning_rates", TensorRole::kScalar, {DType::kF32, {k}});

  const Value logits = DotGeneral(features, parameters[0],
                                  {.lhs_contract = {1}, .rhs_contract = {1}}) +
                       parameters[1];  // [b,n] x [k,n,c] -> [b,k,c]
  const ProbeResult losses = ProbeLosses(logits, labels);
  const std::vector<Value> gradients = Grad(Sum(losses.loss), parameters);

  std::vector<Output> outputs(4);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Value g = AllReduce(gradients[i]);
    const Value m = probe.momentum * momenta[i] + g;
    graph::Dims per_candidate(parameters[i].dims().size(), 1);
    per_candidate[0] = k;
    const Value rate = Reshape(rates, per_candidate);
    outputs[i] = {step.inputs[i].name,
                  parameters[i] - rate * (g + probe.momentum * m),
                  parameters[i]};
    outputs[i + 2] = {step.inputs[i + 2].name, m, momenta[i]};
  }
  step.outputs = {step.inputs.begin(), step.inputs.begin() + 4};
  for (const auto& [name, value] :
       {std::pair<const char*, Value>{"loss", losses.loss},
        {"accuracy", losses.accuracy}}) {
    const Value total = AllReduce(value);
    step.outputs.push_back({name, TensorRole::kMetric, total.shape()});
    outputs.push_back({name, total});
  }
  ASSIGN_OR_RETURN(
      step.program,
      Finish(graph, outputs, {.name = "probe_step", .target = options.target}));
  return step;
}

}  // namespace xla_byol
