#include "xla_byol/config/schedules.h"

#include <cmath>

#include "gtest/gtest.h"
#include "xla_byol/config/config.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

// The reference's numbers: notes of its configs at batch 4096.
TEST(SchedulesTest, StepsAreTheReferences) {
  struct Case {
    float epochs;
    int64_t steps;
  };
  for (const Case& c :
       {Case{40, 12511}, {100, 31278}, {300, 93835}, {1000, 312784}}) {
    Config config;
    config.mutable_schedule()->set_epochs(c.epochs);
    EXPECT_EQ(TotalSteps(config), c.steps);
    EXPECT_EQ(WarmupSteps(config), 3127);
  }
}

TEST(SchedulesTest, LearningRateWarmsUpAndFalls) {
  const Config config;
  EXPECT_EQ(LearningRate(config, 0), 0);
  const double peak = 0.45f * 16;
  EXPECT_DOUBLE_EQ(LearningRate(config, 1), peak / 3127);
  EXPECT_DOUBLE_EQ(LearningRate(config, 3127), peak);
  EXPECT_NEAR(LearningRate(config, 3127 + (31278 - 3127) / 2), peak / 2,
              peak * 1e-4);
  EXPECT_NEAR(LearningRate(config, 31278), 0, 1e-12);
  EXPECT_EQ(LearningRate(config, 40000), LearningRate(config, 31278));
}

TEST(SchedulesTest, NoWarmupStartsAtThePeak) {
  Config config;
  config.mutable_schedule()->set_warmup_epochs(0);
  EXPECT_DOUBLE_EQ(LearningRate(config, 0), 0.45f * 16);
}

TEST(SchedulesTest, TargetDecayRisesToOne) {
  const Config config;
  EXPECT_NEAR(TargetDecay(config, 0), 0.99, 1e-8);
  EXPECT_NEAR(TargetDecay(config, 31278 / 2), 0.995, 1e-7);
  EXPECT_DOUBLE_EQ(TargetDecay(config, 31278), 1.0);
}

// Haiku keeps a sum that starts at zero and divides by 1 - decay^count.
TEST(SchedulesTest, DebiasedRateGivesHaikusAverage) {
  double hidden = 0, average = 0;
  for (int t = 1; t <= 50; ++t) {
    const double x = std::sin(t);
    hidden = 0.9 * hidden + 0.1 * x;
    average += DebiasedRate(0.9, t) * (x - average);
    EXPECT_NEAR(average, hidden / (1 - std::pow(0.9, t)), 1e-12);
  }
}

TEST(SchedulesTest, PredictorRestsBetweenUpdates) {
  Config config;
  config.mutable_predictor()->set_update_interval(3);
  ResolveConfig(&config);
  for (int step = 0; step < 7; ++step) {
    EXPECT_EQ(PredictorDecay(config, step), step % 3 == 0 ? 0.99f : 1.0f);
  }
}

TEST(SchedulesTest, ScalarsCountTwoNormUpdatesAStep) {
  Config config;
  ResolveConfig(&config);
  const StepScalars first = ScalarsForStep(config, 0);
  EXPECT_FLOAT_EQ(first.batch_norm_rate1, 1.0f);
  EXPECT_FLOAT_EQ(first.batch_norm_rate2,
                  static_cast<float>(DebiasedRate(0.9, 2)));
  EXPECT_FLOAT_EQ(first.predictor_decay, 0.99f);
  const StepScalars later = ScalarsForStep(config, 1000);
  EXPECT_FLOAT_EQ(later.learning_rate,
                  static_cast<float>(LearningRate(config, 1000)));
  EXPECT_FLOAT_EQ(later.batch_norm_rate2, 0.1f);
}

TEST(SchedulesTest, FloorWarmupAndEpochs) {
  Config config = ParseConfig(R"pb(
                                data { train_images: 1000 }
                                optimizer { base_learning_rate: 2 }
                                schedule {
                                  batch_size: 100
                                  epochs: 4
                                  warmup_epochs: 0
                                  final_rate: 0.1
                                }
                              )pb",
                              "test")
                      .value();
  const double peak = 2 * 100 / 256.0;
  EXPECT_DOUBLE_EQ(PeakLearningRate(config), peak);
  EXPECT_NEAR(LearningRate(config, 0), peak, 1e-9);
  EXPECT_NEAR(LearningRate(config, 20), peak * (0.1 + 0.9 * 0.5), 1e-7);
  EXPECT_NEAR(LearningRate(config, 40), 0.1 * peak, 1e-7);
  config.mutable_schedule()->set_by_epoch(true);
  EXPECT_DOUBLE_EQ(LearningRate(config, 9), LearningRate(config, 0));
  EXPECT_LT(LearningRate(config, 10), LearningRate(config, 9));
  EXPECT_DOUBLE_EQ(LearningRate(config, 19), LearningRate(config, 10));
}

TEST(SchedulesTest, PredictorIsSetNowAndThen) {
  Config config =
      ParseConfig("predictor { decay: 0.3 update_interval: 5 }", "test")
          .value();
  EXPECT_EQ(ScalarsForStep(config, 10).predictor_set, 1);
  EXPECT_EQ(ScalarsForStep(config, 11).predictor_set, 0);
  EXPECT_EQ(PredictorDecay(config, 11), 1);
  config.mutable_predictor()->set_train_between(true);
  EXPECT_FLOAT_EQ(PredictorDecay(config, 11), 0.3f);
}

}  // namespace
}  // namespace xla_byol
