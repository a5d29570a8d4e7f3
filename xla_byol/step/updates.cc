#include "xla_byol/step/updates.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/optimizers/optimizer.h"

namespace xla_byol {
namespace {

using graph::Direction;
using graph::Scope;
using graph::Value;

constexpr absl::string_view kClosedForm = "predictor/P";

// The rate of the group that a tensor belongs to.
Value RateOf(const Config& config, const StepInputs& in, absl::string_view path,
             Value parameter) {
  const Optimizer& optimizer = config.optimizer();
  const bool predictor =
      path == kClosedForm || absl::StartsWith(path, "online/predictor/");
  double multiple = parameter.rank() > 1 ? 1.0 : optimizer.vector_rate();
  if (predictor) multiple *= optimizer.predictor_rate();
  const Value rate = predictor && in.predictor_learning_rate.valid()
                         ? in.predictor_learning_rate
                         : in.learning_rate;
  return multiple == 1 ? rate : multiple * rate;
}

}  // namespace

void FollowGradient(const Config& config, const StepInputs& in, Value loss,
                    const Predictions& predictions, ValuesByPath& state) {
  std::vector<std::string> trained;
  std::vector<Value> parameters;
  for (const nn::Variable& variable : in.variables.all()) {
    if (!absl::StartsWith(variable.path, "online/")) continue;
    trained.push_back(variable.path);
    parameters.push_back(variable.value);
  }
  if (in.predictor_set.valid()) {
    trained.emplace_back(kClosedForm);
    parameters.push_back(predictions.closed_form);
  }
  const std::vector<Value> gradients = Grad(loss, parameters);
  Scope scope(in.variables.graph(), "optimizer");
  const OptimizerRow& optimizer = *FindOptimizer(config.optimizer().kind());
  for (size_t i = 0; i < trained.size(); ++i) {
    std::vector<std::string> paths;
    std::vector<Value> slots;
    for (const absl::string_view slot : optimizer.slots) {
      paths.push_back(SlotPath(slot, trained[i]));
      slots.push_back(in.slots.at(paths.back()));
    }
    UpdateResult update = UpdateTensor(
        config, parameters[i], gradients[i], slots,
        RateOf(config, in, trained[i], parameters[i]), in.optimizer_scalars);
    if (trained[i] == kClosedForm) {
      update.parameter =
          Select(Compare(BroadcastTo(in.predictor_set, update.parameter.dims()),
                         0.5, Direction::kGt),
                 parameters[i], update.parameter);
    }
    state[trained[i]] = update.parameter;
    for (size_t k = 0; k < paths.size(); ++k) state[paths[k]] = update.slots[k];
  }
}

void FollowOnline(const StepInputs& in, ValuesByPath& state) {
  Scope scope(in.variables.graph(), "target_ema");
  for (const nn::Variable& variable : in.variables.all()) {
    if (!absl::StartsWith(variable.path, "target/")) continue;
    const Value online = state[OnlinePath(variable.path)];
    state[variable.path] =
        variable.value + (1.0 - in.tau) * (online - variable.value);
  }
}

}  // namespace xla_byol
