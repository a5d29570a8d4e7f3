// The numbers that change from step to step, computed on the host and passed to
// the step as scalars: one executable serves any schedule.

#ifndef XLA_BYOL_CONFIG_SCHEDULES_H_
#define XLA_BYOL_CONFIG_SCHEDULES_H_

#include <cstdint>

#include "xla_byol/config/config.pb.h"

namespace xla_byol {

// Steps of the whole run: epochs * train_images / batch_size, rounded down as
// the reference does.
int64_t TotalSteps(const Config& config);

// How many times the images have been seen after so many steps.
double EpochsAfter(const Config& config, int64_t steps);

// Steps of the linear warm-up.
int64_t WarmupSteps(const Config& config);

// base_learning_rate * batch_size / 256.
double PeakLearningRate(const Config& config);

// Linear from 0 to the peak over the warm-up, then a half cosine down to
// final_rate of it at TotalSteps.
double LearningRate(const Config& config, int64_t step);

// tau: 1 - (1 - initial_decay) * (1 + cos(pi step / TotalSteps)) / 2.
double TargetDecay(const Config& config, int64_t step);

// The weight of batch number `update` (from 1) in a moving average that is
// debiased from its start at zero: (1 - decay) / (1 - decay^update). The
// average is then a plain number, not a pair of sum and count.
double DebiasedRate(double decay, int64_t update);

// Whether a closed form sets the predictor in this step.
bool SetsPredictor(const Config& config, int64_t step);

// rho; 1 in steps between updates of the predictor, which leaves it as it is
// unless it is trained there.
float PredictorDecay(const Config& config, int64_t step);

// What a step is given, in the order of the program's scalar inputs.
struct StepScalars {
  float learning_rate;
  float target_decay;
  float predictor_decay;
  // Batch norm's running averages see view 1, then view 2.
  float batch_norm_rate1;
  float batch_norm_rate2;
  // Only in programs of several processes (StepOptions::processes): 1 to ask
  // all to stop, and the step's number.
  float stop = 0;
  float step = 0;
  // Only where the config has a use for them: the constant rate of a trained
  // predictor; 1 in steps that set a predictor which is trained in between;
  // the weights of this gradient in AdamW's averages.
  float predictor_learning_rate = 0;
  float predictor_set = 1;
  float first_moment_rate = 1;
  float second_moment_rate = 1;
};

StepScalars ScalarsForStep(const Config& config, int64_t step);

}  // namespace xla_byol

#endif  // XLA_BYOL_CONFIG_SCHEDULES_H_
