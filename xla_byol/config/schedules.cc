#include "xla_byol/config/schedules.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace xla_byol {
namespace {

int64_t StepsOf(const Config& config, double epochs) {
  return static_cast<int64_t>(
      epochs * static_cast<double>(config.data().train_images()) /
      config.schedule().batch_size());
}

// 1 at 0, 0 at 1, in the shape of half a cosine.
double HalfCosine(double progress) {
  return 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
}

}  // namespace

int64_t TotalSteps(const Config& config) {
  return StepsOf(config, config.schedule().epochs());
}

double EpochsAfter(const Config& config, int64_t steps) {
  return static_cast<double>(steps) * config.schedule().batch_size() /
         static_cast<double>(config.data().train_images());
}

int64_t WarmupSteps(const Config& config) {
  return StepsOf(config, config.schedule().warmup_epochs());
}

double PeakLearningRate(const Config& config) {
  return config.optimizer().base_learning_rate() *
         config.schedule().batch_size() / 256.0;
}

double LearningRate(const Config& config, int64_t step) {
  const double peak = PeakLearningRate(config);
  const int64_t warmup = WarmupSteps(config);
  if (step < warmup) {
    return peak * static_cast<double>(step) / static_cast<double>(warmup);
  }
  const int64_t decay_steps = std::max<int64_t>(TotalSteps(config) - warmup, 1);
  if (config.schedule().by_epoch()) {
    step = std::max(warmup,
                    StepsOf(config, std::floor(EpochsAfter(config, step))));
  }
  const double progress = std::min(
      static_cast<double>(step - warmup) / static_cast<double>(decay_steps),
      1.0);
  const double floor = config.schedule().final_rate();
  return peak * (floor + (1.0 - floor) * HalfCosine(progress));
}

double TargetDecay(const Config& config, int64_t step) {
  const double progress = std::min(
      static_cast<double>(step) /
          static_cast<double>(std::max<int64_t>(TotalSteps(config), 1)),
      1.0);
  return 1.0 - (1.0 - config.target().initial_decay()) * HalfCosine(progress);
}

double DebiasedRate(double decay, int64_t update) {
  return (1.0 - decay) / (1.0 - std::pow(decay, static_cast<double>(update)));
}

bool SetsPredictor(const Config& config, int64_t step) {
  return step % config.predictor().update_interval() == 0;
}

float PredictorDecay(const Config& config, int64_t step) {
  const Predictor& predictor = config.predictor();
  return predictor.train_between() || SetsPredictor(config, step)
             ? predictor.decay()
             : 1.0f;
}

StepScalars ScalarsForStep(const Config& config, int64_t step) {
  const double norm_decay = config.model().batch_norm_decay();
  return {
      .learning_rate = static_cast<float>(LearningRate(config, step)),
      .target_decay = static_cast<float>(TargetDecay(config, step)),
      .predictor_decay = PredictorDecay(config, step),
      .batch_norm_rate1 =
          static_cast<float>(DebiasedRate(norm_decay, 2 * step + 1)),
      .batch_norm_rate2 =
          static_cast<float>(DebiasedRate(norm_decay, 2 * step + 2)),
      .step = static_cast<float>(step),
      .predictor_learning_rate = static_cast<float>(PeakLearningRate(config)),
      .predictor_set = SetsPredictor(config, step) ? 1.0f : 0.0f,
      .first_moment_rate = static_cast<float>(
          DebiasedRate(config.optimizer().beta1(), step + 1)),
      .second_moment_rate = static_cast<float>(
          DebiasedRate(config.optimizer().beta2(), step + 1)),
  };
}

}  // namespace xla_byol
