// The whole evaluation of a network that was never trained, on images whose
// class is their brightness: its features tell them apart.

#include "xla_byol/eval/evaluator.h"

#include <stdlib.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/base/temp_folder.h"
#include "tests/eval/synthetic_features.h"
#include "tests/pjrt/testing.h"
#include "xla_byol/base/files.h"
#include "xla_byol/step/state.h"

namespace xla_byol {
namespace {

using pjrt::Get;

constexpr int32_t kSize = 16;

// Image i is of class i % 4, and all of one class are the same.
input::Dataset FourBrightnesses(int64_t size, bool labels = true) {
  input::DatasetInfo info{.name = "brightness",
                          .split = "train",
                          .size = size,
                          .has_labels = labels,
                          .num_classes = 4,
                          .channels = 3};
  return input::Dataset(
      info,
      [labels](int64_t index, input::RecordScratch& scratch,
               input::Record& record) {
        const int32_t label = static_cast<int32_t>(index % 4);
        scratch.bytes.assign(kSize * kSize * 3, static_cast<char>(60 * label));
        record = {};
        record.pixels = {reinterpret_cast<const uint8_t*>(scratch.bytes.data()),
                         {kSize, kSize},
                         3,
                         kSize * 3};
        if (labels) record.label = label;
        return absl::OkStatus();
      },
      [](int64_t index) { return std::to_string(index); });
}

class EvaluatorTest : public testing::TestWithParam<int> {
 protected:
  EvaluatorTest()
      : here_(GetParam()),
        config_(FourClasses(
            {"data.image_size=16", "data.train_images=200",
             "evaluation.image_size=16", "evaluation.bank_images=120",
             "evaluation.holdout_images=40", "evaluation.random_crops=false",
             "model.architecture=tiny", "model.stem=small",
             "model.base_channels=8", "schedule.batch_size=20"})),
        layout_(Get(StateLayout(config_))) {
    for (const StateTensor& tensor : layout_) {
      std::vector<float>& values =
          state_.emplace_back(static_cast<size_t>(tensor.shape.elements()));
      InitializeState(tensor, 1, absl::MakeSpan(values));
    }
  }

  EvaluationResult Evaluate(bool labels, EvaluationKind kind) {
    const std::unique_ptr<Evaluator> evaluator = Get(Evaluator::Create(
        here_.runtime, config_,
        {FourBrightnesses(200, labels), FourBrightnesses(60, labels)}));
    return Get(evaluator->Evaluate(layout_, state_, kind));
  }

  const TestRuntime here_;
  const Config config_;
  const std::vector<StateTensor> layout_;
  StateValues state_;
};

TEST_P(EvaluatorTest, ImagesThatDifferByClassAreToldApart) {
  const EvaluationResult result =
      Evaluate(/*labels=*/true, EvaluationKind::kFull);
  EXPECT_EQ(result.knn_top1, 1);
  ASSERT_TRUE(result.linear.has_value());
  EXPECT_GT(result.linear->top1, 0.7);
  EXPECT_EQ(result.linear->top5, 1);  // of four classes
  EXPECT_GT(result.feature_spread, 0);
  // Four points lie in three directions at most.
  EXPECT_LE(result.feature_rank, 3 + 1e-6);
  const MetricsRecord record = result.Record(config_, 5);
  EXPECT_EQ(record.step, 5);
  EXPECT_EQ(record.values[0], (std::pair<std::string, double>("knn_top1", 1)));
}

// A bank of all images is encoded once for k-NN and probe, a smaller one is
// not: the probe is the same to the last bit.
TEST_P(EvaluatorTest, TheBankDoesNotMatterToTheProbe) {
  const auto linear = [this](int64_t bank) {
    Config config = config_;
    config.mutable_evaluation()->set_bank_images(bank);
    const std::unique_ptr<Evaluator> evaluator = Get(Evaluator::Create(
        here_.runtime, config, {FourBrightnesses(200), FourBrightnesses(60)}));
    return *Get(evaluator->Evaluate(layout_, state_, EvaluationKind::kFull))
                .linear;
  };
  const LinearResult all = linear(0), some = linear(120);
  EXPECT_EQ(all.probe.w, some.probe.w);
  EXPECT_EQ(all.top1, some.top1);
  EXPECT_EQ(all.holdout_top1, some.holdout_top1);
}

TEST_P(EvaluatorTest, WithoutLabelsOnlySignsOfCollapse) {
  const EvaluationResult result =
      Evaluate(/*labels=*/false, EvaluationKind::kFull);
  EXPECT_FALSE(result.knn_top1.has_value());
  EXPECT_FALSE(result.linear.has_value());
  EXPECT_GT(result.feature_rank, 0);
}

TEST_P(EvaluatorTest, ALostStateScoresNothing) {
  for (std::vector<float>& values : state_) {
    values.assign(values.size(), std::numeric_limits<float>::quiet_NaN());
  }
  EXPECT_EQ(Evaluate(/*labels=*/true, EvaluationKind::kQuick).knn_top1, 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, EvaluatorTest, testing::Values(1, 2, 4));

class BaselinesTest : public EvaluatorTest {
 protected:
  // trace(C)^2 / |C|^2 of the four colours' unit vectors, by hand: all pixels
  // of a gray image have the same three numbers.
  double PixelRank() const {
    double points[4][3], mean[3] = {}, trace = 0, norm = 0;
    for (int k = 0; k < 4; ++k) {
      double squares = 0;
      for (int c = 0; c < 3; ++c) {
        points[k][c] = (60 * k / 255.0 - config_.data().mean(c)) /
                       config_.data().stddev(c);
        squares += points[k][c] * points[k][c];
      }
      for (int c = 0; c < 3; ++c) {
        points[k][c] /= std::sqrt(squares);
        mean[c] += points[k][c] / 4;
      }
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        double entry = 0;
        for (const auto& point : points) {
          entry += (point[i] - mean[i]) * (point[j] - mean[j]);
        }
        norm += entry * entry;
        if (i == j) trace += entry;
      }
    }
    return trace * trace / norm;
  }
};

TEST_P(BaselinesTest, AreMeasuredOnceAndKept) {
  ASSERT_EQ(setenv("XDG_CACHE_HOME", TempFolder().c_str(), 1), 0);
  const auto evaluator = [this](bool labels) {
    return Get(Evaluator::Create(
        here_.runtime, config_,
        {FourBrightnesses(200, labels), FourBrightnesses(60, labels)}));
  };
  const Baselines first =
      Get(evaluator(true)->EvaluateBaselines(layout_, EvaluationKind::kFull));
  std::map<std::string, double> values(first.begin(), first.end());
  ASSERT_EQ(values.size(), 8u);
  // Four brightnesses are four points, of the pixels too: no channel has the
  // mean of another, so that cosines see them.
  EXPECT_EQ(values["untrained_knn_top1"], 1);
  EXPECT_EQ(values["pixels_knn_top1"], 1);
  EXPECT_GT(values["pixels_linear_top1"], 0.4);
  EXPECT_NEAR(values["pixels_feature_rank"], PixelRank(), 1e-4);
  EXPECT_EQ(
      Get(evaluator(true)->EvaluateBaselines(layout_, EvaluationKind::kFull)),
      first);
  const auto kept = ListDirectory(JoinPath(CacheDirectory(), "baselines"));
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(kept->size(), 1u);
  const std::string summary = BaselineSummary(first);
  EXPECT_NE(summary.find("the untrained network: k-NN 100.00%, linear probe"),
            std::string::npos)
      << summary;
  EXPECT_TRUE(
      Get(evaluator(false)->EvaluateBaselines(layout_, EvaluationKind::kFull))
          .empty());
}

INSTANTIATE_TEST_SUITE_P(Devices, BaselinesTest, testing::Values(2));

// Pictures of noise over a brightness that says less than everything about the
// class: neither k-NN nor a probe is always right.
input::Dataset NoisyBrightnesses(int64_t size, uint32_t seed) {
  input::DatasetInfo info{.name = "noise",
                          .split = "train",
                          .size = size,
                          .has_labels = true,
                          .num_classes = 4,
                          .channels = 3};
  return input::Dataset(
      info,
      [seed](int64_t index, input::RecordScratch& scratch,
             input::Record& record) {
        const int32_t label = static_cast<int32_t>(index % 4);
        std::mt19937 random(seed + static_cast<uint32_t>(index));
        const int level = 40 * label + static_cast<int>(random() % 80);
        scratch.bytes.resize(kSize * kSize * 3);
        for (char& byte : scratch.bytes) {
          byte = static_cast<char>(level + static_cast<int>(random() % 40));
        }
        record = {};
        record.pixels = {reinterpret_cast<const uint8_t*>(scratch.bytes.data()),
                         {kSize, kSize},
                         3,
                         kSize * 3};
        record.label = label;
        return index == 17 ? absl::DataLossError("a bad record")
                           : absl::OkStatus();
      },
      [](int64_t index) { return std::to_string(index); });
}

// With random crops, encoded as the probe is trained, and without.
TEST(EvaluatorDevicesTest, AnyNumberOfDevicesGivesTheSame) {
  for (const char* crops : {"true", "false"}) {
    const Config config = FourClasses(
        {"data.image_size=16", "data.train_images=2000",
         "evaluation.image_size=16", "evaluation.bank_images=1200",
         "evaluation.holdout_images=400",
         std::string("evaluation.random_crops=") + crops,
         "evaluation.linear_epochs=3", "evaluation.linear_batch_size=320",
         "model.architecture=tiny", "model.stem=small", "model.base_channels=8",
         "schedule.batch_size=20"});
    const std::vector<StateTensor> layout = Get(StateLayout(config));
    StateValues state;
    for (const StateTensor& tensor : layout) {
      state.emplace_back(static_cast<size_t>(tensor.shape.elements()));
      InitializeState(tensor, 1, absl::MakeSpan(state.back()));
    }
    std::vector<EvaluationResult> results;
    for (const int devices : {1, 2, 4}) {
      const TestRuntime here(devices);
      results.push_back(
          Get(Get(Evaluator::Create(here.runtime, config,
                                    {NoisyBrightnesses(2000, 1),
                                     NoisyBrightnesses(1500, 5000)}))
                  ->Evaluate(layout, state, EvaluationKind::kFull)));
    }
    const EvaluationResult& one = results[0];
    EXPECT_GT(one.linear->top1, 0.35);
    EXPECT_LT(one.linear->top1, 0.95);
    EXPECT_GT(*one.knn_top1, 0.35);
    EXPECT_LT(*one.knn_top1, 0.95);
    for (const EvaluationResult& some : results) {
      EXPECT_EQ(some.linear->learning_rate, one.linear->learning_rate);
      EXPECT_NEAR(some.linear->top1, one.linear->top1, 0.001);
      EXPECT_NEAR(some.linear->holdout_top1, one.linear->holdout_top1, 0.0026);
      EXPECT_NEAR(*some.knn_top1, *one.knn_top1, 0.001);
      EXPECT_NEAR(some.feature_spread, one.feature_spread, 1e-6);
      EXPECT_NEAR(some.feature_rank, one.feature_rank, 1e-3);
    }
  }
}

}  // namespace
}  // namespace xla_byol
