#include "xla_byol/step/state.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/methods/method.h"
#include "xla_byol/model/networks.h"
#include "xla_byol/nn/initialize.h"
#include "xla_byol/optimizers/optimizer.h"
#include "xla_byol/predictors/closed_form.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::Value;

// Builds the networks once, on one image, for the sake of the variables they
// ask for.
void TouchVariables(const Config& config, nn::Variables& variables) {
  Graph& graph = variables.graph();
  const int64_t size = config.data().image_size();
  const Value images = Splat(
      graph, 0, Shape{DType::kF32, {1, size, size, config.data().channels()}});
  const Value rate = Constant(graph, 1);
  const Latents online =
      EncodeViews(config, variables, "online", {images, images}, {rate, rate});
  const MethodRow& method = MethodFor(config);
  if (method.has_predictor && IsTrainedPredictor(config.predictor().kind())) {
    TrainedPredictions(config, variables, online.projections, {rate, rate});
  }
  if (config.data().classes() > 0) {
    ProbeLogits(config, variables, online.features);
  }
  if (method.has_target) {
    EncodeViews(config, variables, "target", {images, images}, {rate, rate});
  }
}

}  // namespace

std::string OnlinePath(absl::string_view target_path) {
  return absl::StrCat("online/", absl::StripPrefix(target_path, "target/"));
}

nn::Variable VariableOf(const StateTensor& tensor) {
  return {.path = tensor.path,
          .role = tensor.role == TensorRole::kBatchStats ? nn::Role::kStatistic
                                                         : nn::Role::kParameter,
          .shape = tensor.shape,
          .initializer = tensor.initializer};
}

absl::StatusOr<std::vector<StateTensor>> StateLayout(const Config& config) {
  Graph graph;
  nn::Variables variables(graph);
  TouchVariables(config, variables);
  RETURN_IF_ERROR(graph.status());

  const OptimizerRow& optimizer = *FindOptimizer(config.optimizer().kind());
  std::vector<StateTensor> online, target, slots, statistics;
  const auto add_slots = [&](absl::string_view owner, const Shape& shape) {
    for (const absl::string_view slot : optimizer.slots) {
      const std::string path = SlotPath(slot, owner);
      slots.push_back({.path = path,
                       .role = TensorRole::kMomentum,
                       .shape = shape,
                       .initializer = nn::Initializer::Constant(0),
                       .random_path = path});
    }
  };
  for (const nn::Variable& variable : variables.all()) {
    StateTensor tensor{.path = variable.path,
                       .role = TensorRole::kOnline,
                       .shape = variable.shape,
                       .initializer = variable.initializer,
                       .random_path = variable.path};
    if (variable.role == nn::Role::kStatistic) {
      tensor.role = TensorRole::kBatchStats;
      statistics.push_back(std::move(tensor));
    } else if (absl::StartsWith(variable.path, "target/")) {
      tensor.role = TensorRole::kTarget;
      if (config.target().copy_online()) {
        tensor.random_path = OnlinePath(tensor.path);
      }
      target.push_back(std::move(tensor));
    } else {
      add_slots(tensor.path, tensor.shape);
      online.push_back(std::move(tensor));
    }
  }

  std::vector<std::string> matrices;
  const int64_t side = config.model().projector_output_size();
  const Shape square{DType::kF32, {side, side}};
  if (MethodFor(config).has_predictor &&
      predictors::FindClosedForm(config.predictor().kind()) != nullptr) {
    if (config.predictor().average() == Predictor::COVARIANCE) {
      matrices.push_back("predictor/covariance");
    }
    matrices.push_back("predictor/P");
    if (config.predictor().train_between()) add_slots("predictor/P", square);
  }

  std::vector<StateTensor> layout = std::move(online);
  for (std::vector<StateTensor>* part : {&target, &slots, &statistics}) {
    std::move(part->begin(), part->end(), std::back_inserter(layout));
  }
  for (const std::string& path : matrices) {
    layout.push_back({.path = path,
                      .role = TensorRole::kPredictor,
                      .shape = square,
                      .initializer = nn::Initializer::Identity(),
                      .random_path = path});
  }
  return layout;
}

void InitializeState(const StateTensor& tensor, uint64_t seed,
                     absl::Span<float> values) {
  nn::InitializeTensor(tensor.initializer, seed, tensor.random_path, values);
}

}  // namespace xla_byol
