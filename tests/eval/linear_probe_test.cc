#include "xla_byol/eval/linear_probe.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/eval/synthetic_features.h"
#include "tests/pjrt/testing.h"

namespace xla_byol {
namespace {

using pjrt::Get;

constexpr int64_t kRows = 400;

Config WithRates(std::vector<float> rates) {
  Config config = FourClasses();
  config.mutable_evaluation()->clear_linear_learning_rates();
  for (const float rate : rates) {
    config.mutable_evaluation()->add_linear_learning_rates(rate);
  }
  return config;
}

// Trains on `train`; 70 rows to choose the rate, which is no whole batch, and
// `test` to judge.
LinearResult Probe(int devices, const Config& config, const Features& train,
                   const Features& test) {
  const TestRuntime here(devices);
  ShuffledFeatures source(here.runtime, train, 7);
  return Get(TrainLinearProbe(here.runtime, config, source, train.size(),
                              train.First(70), test, NoProgress));
}

class LinearProbeTest : public testing::TestWithParam<int> {};

TEST_P(LinearProbeTest, SeparableFeaturesAreAlwaysRight) {
  const LinearResult result =
      Probe(GetParam(), WithRates({1.0f}), Separable(kRows, 6, 4, 1),
            Separable(150, 6, 4, 2));
  EXPECT_EQ(result.top1, 1);
  EXPECT_EQ(result.top5, 1);
  EXPECT_EQ(result.holdout_top1, 1);
}

// Labels that are wrong on purpose in a known share of the test rows.
TEST_P(LinearProbeTest, TheShareIsThatOfTheRightLabels) {
  Features test = Separable(100, 6, 4, 2);
  for (size_t i = 0; i < 30; ++i) test.labels[i] = (test.labels[i] + 1) % 4;
  // Rows without a label do not count.
  for (size_t i = 90; i < 100; ++i) test.labels[i] = -1;
  const LinearResult result =
      Probe(GetParam(), WithRates({1.0f}), Separable(kRows, 6, 4, 1), test);
  EXPECT_NEAR(result.top1, 60.0 / 90, 1e-9);
}

TEST_P(LinearProbeTest, NanFeaturesScoreNothing) {
  Features test = Separable(100, 6, 4, 2);
  test.values.assign(test.values.size(),
                     std::numeric_limits<float>::quiet_NaN());
  const LinearResult result =
      Probe(GetParam(), WithRates({1.0f}), Separable(kRows, 6, 4, 1), test);
  EXPECT_EQ(result.top1, 0);
  EXPECT_EQ(result.top5, 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, LinearProbeTest, testing::Values(1, 2));

// Features that say nothing: the probe names one class for all, which is right
// for a quarter of the rows and not for all of them.
TEST(LinearProbeChoiceTest, FeaturesOfZeroScoreAsChance) {
  Features train = Separable(kRows, 6, 4, 1);
  train.values.assign(train.values.size(), 0.0f);
  Features test = Separable(100, 6, 4, 2);
  test.values.assign(test.values.size(), 0.0f);
  EXPECT_NEAR(Probe(1, WithRates({1.0f}), train, test).top1, 0.25, 1e-9);
}

// A rate so small that weights stay 0 loses to one that learns, whatever their
// order.
TEST(LinearProbeChoiceTest, TheRateIsTheOneThatIsBestOnTheHoldout) {
  for (const auto& rates :
       {std::vector<float>{1e-44f, 1.0f}, std::vector<float>{1.0f, 1e-44f}}) {
    const LinearResult result =
        Probe(1, WithRates(rates), Separable(kRows, 6, 4, 1),
              Separable(100, 6, 4, 2));
    EXPECT_EQ(result.learning_rate, 1.0);
    EXPECT_EQ(result.top1, 1);
  }
}

TEST(LinearProbeChoiceTest, ABatchWithoutAnImageForEachDeviceIsRefused) {
  const TestRuntime here(2);
  Config config = WithRates({1.0f});
  config.mutable_evaluation()->set_linear_batch_size(1);
  EXPECT_ERROR(CheckProbeBatch(config, 2), kInvalidArgument,
               "config: evaluation.linear_batch_size is 1: it must be at least "
               "the number of devices, 2");
  EXPECT_OK(CheckProbeBatch(config, 1));
  const Features train = Separable(kRows, 6, 4, 1);
  const auto probe = [&](int64_t epoch_images) {
    ShuffledFeatures source(here.runtime, train, 7);
    return TrainLinearProbe(here.runtime, config, source, epoch_images, train,
                            train, NoProgress)
        .status();
  };
  EXPECT_ERROR(probe(kRows), kInvalidArgument, "linear_batch_size is 1");
  config.mutable_evaluation()->set_linear_batch_size(2);
  EXPECT_ERROR(probe(1), kInvalidArgument,
               "1 training images, fewer than the 2 devices");
}

TEST(LinearProbeChoiceTest, ProgressMayEndIt) {
  const TestRuntime here(1);
  const Features train = Separable(kRows, 6, 4, 1);
  int64_t seen = 0;
  ShuffledFeatures source(here.runtime, train, 7);
  const absl::Status status =
      TrainLinearProbe(here.runtime, WithRates({1.0f}), source, train.size(),
                       train, train,
                       [&seen](int64_t done, int64_t) {
                         seen = done;
                         return done == 3 ? absl::CancelledError("enough")
                                          : absl::OkStatus();
                       })
          .status();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_EQ(seen, 3);
}

// Labels that no probe can learn by heart: rates and accuracies differ, and
// must differ in the same way on any number of devices.
TEST(LinearProbeChoiceTest, AnyNumberOfDevicesGivesTheSame) {
  Features train = Separable(kRows, 6, 4, 1), test = Separable(200, 6, 4, 2);
  for (Features* features : {&train, &test}) {
    const std::vector<float> noise = Noise(features->values.size(), 9);
    for (size_t i = 0; i < noise.size(); ++i) {
      features->values[i] += 0.7f * noise[i];
    }
  }
  const Config config = WithRates({0.001f, 0.05f, 3.0f});
  const LinearResult one = Probe(1, config, train, test);
  EXPECT_LT(one.top1, 0.99);
  for (const int devices : {2, 4}) {
    const LinearResult some = Probe(devices, config, train, test);
    EXPECT_EQ(some.learning_rate, one.learning_rate);
    // Of 200 rows none may change sides but by rounding.
    EXPECT_NEAR(some.top1, one.top1, 0.001) << devices;
    EXPECT_NEAR(some.holdout_top1, one.holdout_top1, 0.001) << devices;
  }
}

TEST(FeatureShuffleTest, EveryEpochHasEachRowOnceInItsOwnOrder) {
  const Features features = Separable(10, 4, 4, 1);
  FeatureShuffle shuffle(features, 3);
  std::vector<std::vector<float>> epochs;
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::vector<float> all;
    for (const int64_t rows : {4, 6}) {
      const Features some = shuffle.Next(rows);
      all.insert(all.end(), some.values.begin(), some.values.end());
    }
    epochs.push_back(all);
    std::vector<float> given = features.values;
    std::sort(given.begin(), given.end());
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, given);
  }
  EXPECT_NE(epochs[0], epochs[1]);
}

// The rows of four processes, one bad record among them, are those of one:
// each row of a batch is brought by the process that has it.
TEST(FeatureShuffleTest, SharesAddUpToTheWhole) {
  Features whole = Separable(30, 4, 4, 1);
  constexpr int64_t kBad = 11;
  whole.labels[kBad] = -1;
  std::fill_n(whole.values.begin() + kBad * 4, 4, 0.0f);
  FeatureShuffle expected(whole, 3);
  std::vector<Features> shares;
  for (int process = 0; process < 4; ++process) {
    shares.push_back(ShareOf(whole, process, {.block = 4, .processes = 4},
                             /*without=*/kBad));
  }
  std::vector<FeatureShuffle> shuffles;
  for (const Features& share : shares) shuffles.emplace_back(share, 3);
  for (int batch = 0; batch < 5; ++batch) {
    const Features wanted = expected.Next(8);
    Features sum = Features{.dimension = 4}.Part(0, 8);
    for (FeatureShuffle& shuffle : shuffles) {
      const Features some = shuffle.Next(8);
      for (size_t i = 0; i < some.values.size(); ++i) {
        sum.values[i] += some.values[i];
      }
      for (size_t i = 0; i < some.labels.size(); ++i) {
        sum.labels[i] += some.labels[i] + 1;
      }
    }
    EXPECT_EQ(sum.values, wanted.values);
    EXPECT_EQ(sum.labels, wanted.labels);
  }
}

}  // namespace
}  // namespace xla_byol
