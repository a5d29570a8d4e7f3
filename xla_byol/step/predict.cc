#include "xla_byol/step/predict.h"

#include "xla_byol/predictors/closed_form.h"
#include "xla_byol/predictors/matrix_functions.h"

namespace xla_byol {
namespace {

using graph::Direction;
using graph::DType;
using graph::Scope;
using graph::Value;

// Rows of both views that belong to the same group of images in a row.
Value GroupByGroup(Value view1, Value view2, int64_t images) {
  const int64_t here = view1.dim(0), side = view1.dim(1);
  // A group of more images than this replica has takes all of them.
  const int64_t groups = images == 0 || images >= here ? 1 : here / images;
  const auto split = [&](Value view) {
    return Reshape(view, {groups, here / groups, side});
  };
  return Reshape(graph::Concatenate({split(view1), split(view2)}, 1),
                 {2 * here, side});
}

// Z and Z': of view 1 online and view 2 target, or of both views.
ViewPair LatentRows(const Predictor& predictor, const ViewPair& online,
                    const ViewPair& target) {
  if (!predictor.both_views()) return {online.view1, target.view2};
  const int64_t images = predictor.covariance_images();
  return {GroupByGroup(online.view1, online.view2, images),
          GroupByGroup(target.view2, target.view1, images)};
}

// P <- rho P + (1 - rho) (F(Z, Z') + alpha I), or F of a covariance averaged
// that way; a constant for the gradient.
Value NextPredictor(const Config& config, const predictors::ClosedForm& form,
                    const StepInputs& in, const ViewPair& online,
                    const ViewPair& target, ValuesByPath& state) {
  Scope scope(in.variables.graph(), "predictor");
  const ViewPair z = LatentRows(config.predictor(), online, target);
  const auto average = [&](const char* path, Value now) {
    return state[path] = in.rho * in.predictor.at(path) + (1.0 - in.rho) * now;
  };
  const predictors::ClosedFormOptions options = {
      .iterations = config.predictor().iterations(),
      .ridge = config.predictor().ridge(),
      .visser_step = config.predictor().visser_step()};
  if (const int64_t images = config.predictor().covariance_images()) {
    const int64_t views = config.predictor().both_views() ? 2 : 1;
    return average("predictor/P", predictors::GroupedPredictor(
                                      form, options, z.view1, z.view2,
                                      config.predictor().normalize_covariance(),
                                      views * images));
  }
  predictors::LatentMoments moments = predictors::MomentsOf(
      z.view1, z.view2, config.predictor().normalize_covariance());
  const bool of_covariance =
      config.predictor().average() == Predictor::COVARIANCE;
  if (of_covariance) {
    moments.covariance = average("predictor/covariance", moments.covariance);
  }
  const Value p = predictors::BatchwisePredictor(form, options, moments);
  if (of_covariance) return state["predictor/P"] = p;
  return average("predictor/P", p);
}

// The matrix of this step: the next one in steps that set it, else the one that
// training has made of the last.
Value SetOrTrained(const StepInputs& in, Value next) {
  if (!in.predictor_set.valid()) return next;
  return Select(
      Compare(BroadcastTo(in.predictor_set, next.dims()), 0.5, Direction::kGt),
      next, in.predictor.at("predictor/P"));
}

}  // namespace

Predictions Predict(const Config& config, StepInputs& in,
                    const ViewPair& online, const ViewPair& target,
                    ValuesByPath& state) {
  const Predictor::Kind kind = config.predictor().kind();
  if (const auto* form = predictors::FindClosedForm(kind)) {
    const Value p = SetOrTrained(
        in, NextPredictor(config, *form, in, online, target, state));
    const auto predicted = [&p](Value z) {
      return predictors::Product(Convert(z, DType::kF32), p);
    };
    return {{predicted(online.view1), predicted(online.view2)}, p, p};
  }
  if (kind == Predictor::IDENTITY) return {online};
  Predictions predictions = {
      TrainedPredictions(config, in.variables, online, in.norm_rates)};
  if (kind == Predictor::LINEAR) {
    predictions.matrix = in.variables.Find("online/predictor/dense/w")->value;
  }
  return predictions;
}

}  // namespace xla_byol
