#include "xla_byol/settings/settings.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "xla_byol/methods/method.h"
#include "xla_byol/model/networks.h"
#include "xla_byol/nn/architecture.h"
#include "xla_byol/optimizers/optimizer.h"
#include "xla_byol/predictors/closed_form.h"

namespace xla_byol {
namespace {

using ::testing::ElementsAre;

std::string ErrorOf(const absl::Status& status) {
  return std::string(status.message());
}

TEST(SettingsTest, DefaultsAreThePapersHundredEpochs) {
  const Config config = LoadConfig("", "none", {}, 128).value();
  EXPECT_EQ(config.model().architecture(), "resnet50");
  EXPECT_EQ(config.schedule().batch_size(), 4096);
  EXPECT_EQ(config.schedule().epochs(), 100);
  EXPECT_FLOAT_EQ(config.optimizer().base_learning_rate(), 0.45f);
  EXPECT_FLOAT_EQ(config.optimizer().weight_decay(), 1e-6f);
  EXPECT_FLOAT_EQ(config.target().initial_decay(), 0.99f);
  EXPECT_FLOAT_EQ(config.predictor().ridge(), 0.9f);
  EXPECT_FLOAT_EQ(config.predictor().decay(), 0.99f);
  EXPECT_THAT(config.data().mean(), ElementsAre(0.485f, 0.456f, 0.406f));
}

TEST(SettingsTest, ClosedFormsHaveThePapersNumbers) {
  struct Row {
    const char* kind;
    float ridge, decay;
    int iterations;
    bool normalized;
    Predictor::Average average;
  };
  const Row rows[] = {
      {"newton_schulz", 0.9f, 0.99f, 9, false, Predictor::PREDICTOR},
      {"lrp", 0.0f, 0.8f, 20, false, Predictor::PREDICTOR},
      {"ne", 0.15f, 0.99f, 12, false, Predictor::PREDICTOR},
      {"visser", 0.0f, 0.99f, 50, false, Predictor::PREDICTOR},
      {"ns2", 0.9f, 0.99f, 7, false, Predictor::PREDICTOR},
      {"stiefel", 0.3f, 0.999f, 9, false, Predictor::PREDICTOR},
      {"directpred", 0.01f, 0.3f, 12, true, Predictor::COVARIANCE},
      {"directcopy", 0.6f, 0.99f, 0, true, Predictor::PREDICTOR},
  };
  for (const Row& row : rows) {
    const Config config =
        LoadConfig("", "none", {std::string("predictor.kind=") + row.kind}, 1)
            .value();
    EXPECT_EQ(config.predictor().ridge(), row.ridge) << row.kind;
    EXPECT_EQ(config.predictor().decay(), row.decay) << row.kind;
    EXPECT_EQ(config.predictor().iterations(), row.iterations) << row.kind;
    EXPECT_EQ(config.predictor().normalize_covariance(), row.normalized)
        << row.kind;
    EXPECT_EQ(config.predictor().average(), row.average) << row.kind;
  }
}

// Whoever adds a kind to the proto must add its row: an unknown one would
// otherwise train something else.
TEST(SettingsTest, EveryKindHasItsRow) {
  const auto* predictors = Predictor::Kind_descriptor();
  for (int i = 0; i < predictors->value_count(); ++i) {
    const std::string name = predictors->value(i)->name();
    const auto kind =
        static_cast<Predictor::Kind>(predictors->value(i)->number());
    const int rows = (predictors::FindClosedForm(kind) != nullptr ? 1 : 0) +
                     (IsTrainedPredictor(kind) ? 1 : 0) +
                     (kind == Predictor::IDENTITY ? 1 : 0);
    EXPECT_EQ(rows, 1) << name;
    const auto config = LoadConfig("", "", {"predictor.kind=" + name}, 1);
    EXPECT_TRUE(config.ok()) << name << ": " << config.status();
  }
  const auto* methods = Method::Kind_descriptor();
  for (int i = 0; i < methods->value_count(); ++i) {
    const auto kind = static_cast<Method::Kind>(methods->value(i)->number());
    ASSERT_NE(FindMethod(kind), nullptr) << methods->value(i)->name();
    EXPECT_EQ(FindMethod(kind)->kind, kind);
  }
  const auto* optimizers = Optimizer::Kind_descriptor();
  for (int i = 0; i < optimizers->value_count(); ++i) {
    const auto kind =
        static_cast<Optimizer::Kind>(optimizers->value(i)->number());
    ASSERT_NE(FindOptimizer(kind), nullptr) << optimizers->value(i)->name();
    EXPECT_EQ(FindOptimizer(kind)->kind, kind);
  }
  const auto* stems = Model::Stem_descriptor();
  for (int i = 0; i < stems->value_count(); ++i) {
    EXPECT_TRUE(nn::FindStem(stems->value(i)->name()).ok());
  }
}

// A table with more rows than kinds has one that nobody can choose.
TEST(SettingsTest, NoKindHasTwoRows) {
  EXPECT_EQ(Methods().size(),
            static_cast<size_t>(Method::Kind_descriptor()->value_count()));
  EXPECT_EQ(Optimizers().size(),
            static_cast<size_t>(Optimizer::Kind_descriptor()->value_count()));
  for (const predictors::ClosedForm& form : predictors::ClosedForms()) {
    EXPECT_EQ(predictors::FindClosedForm(form.kind), &form);
    EXPECT_GE(form.max_iterations, form.iterations);
    EXPECT_TRUE(form.of_covariance || form.average == Predictor::PREDICTOR);
  }
}

TEST(SettingsTest, MethodsHaveTheirAuthorsNumbers) {
  const auto method = [](const std::vector<std::string>& set) {
    return LoadConfig("", "", set, 1).value();
  };
  EXPECT_FALSE(method({}).has_method());
  EXPECT_FLOAT_EQ(
      method({"method.kind=barlow_twins"}).method().off_diagonal_weight(),
      0.0051f);
  EXPECT_FLOAT_EQ(method({"method.kind=vicreg"}).method().invariance_weight(),
                  25);
  const Config liu = method({"method.kind=liu"});
  EXPECT_EQ(liu.method().partitions(), 1);
  EXPECT_EQ(liu.predictor().kind(), Predictor::LINEAR);
  EXPECT_FLOAT_EQ(
      method({"method.kind=eigenmap", "model.projector_sizes=[4096,2048]"})
          .method()
          .off_diagonal_weight(),
      0.01f);
}

TEST(SettingsTest, ProjectorsSizesFillTheOtherLists) {
  const Model model =
      LoadConfig("", "", {"model.projector_sizes=[7,6,5]"}, 1).value().model();
  EXPECT_EQ(model.projector_output_size(), 5);
  EXPECT_THAT(model.projector_bias(), ElementsAre(false, false, false));
  EXPECT_THAT(model.projector_norms(),
              ElementsAre(Model::BATCH, Model::BATCH, Model::NO_NORM));
}

TEST(SettingsTest, ByolWithoutTargetIsSimSiam) {
  const auto method = [](const std::vector<std::string>& set) {
    return MethodFor(LoadConfig("", "", set, 1).value()).kind;
  };
  EXPECT_EQ(method({}), Method::BYOL);
  EXPECT_EQ(method({"target.kind=none"}), Method::SIMSIAM);
  EXPECT_EQ(method({"method.kind=simsiam"}), Method::SIMSIAM);
}

struct BadConfig {
  std::vector<std::string> set;
  int devices;
  std::string error;
};

void ExpectRefused(const std::vector<BadConfig>& cases) {
  for (const BadConfig& bad : cases) {
    EXPECT_EQ(ErrorOf(LoadConfig("", "none", bad.set, bad.devices).status()),
              bad.error);
  }
}

TEST(SettingsTest, RefusesWhatMakesNoSense) {
  ExpectRefused({
      {{"schedule.batch_size=100"},
       8,
       "config: schedule.batch_size is 100: it must be divisible by the 8 "
       "devices"},
      {{"predictor.ridge=-0.5"},
       1,
       "config: predictor.ridge is -0.5: it must be at least 0"},
      {{"predictor.decay=1"},
       1,
       "config: predictor.decay is 1: it must be at least 0 and below 1"},
      {{"model.architecture=resnet55"},
       1,
       "there is no architecture 'resnet55'; did you mean 'resnet50'?"},
      {{"data.image_size=16"},
       1,
       "config: data.image_size is 16: the IMAGENET stem and three strided "
       "stages need at least 17 pixels; set model.stem to SMALL"},
      {{"model.stem=small", "data.image_size=4"},
       1,
       "config: data.image_size is 4: the SMALL stem and three strided stages "
       "need at least 8 pixels"},
      {{"evaluation.image_size=10"},
       1,
       "config: evaluation.image_size is 10: the IMAGENET stem and three "
       "strided stages need at least 17 pixels; set model.stem to SMALL"},
      {{"data.channels=2"}, 1, "config: data.channels is 2: it must be 1 or 3"},
      {{"data.mean=0.5"},
       1,
       "config: data.channels is 3: data.mean has 1 and data.stddev 3 "
       "numbers; give one per channel"},
      {{"data.stddev=1,0,1"},
       1,
       "config: data.stddev is 0: pixels are divided by it"},
      {{"predictor.iterations=0"},
       1,
       "config: predictor.iterations is 0: it must be at least 1 and at most "
       "15"},
      {{"predictor.kind=lrp", "predictor.average=covariance"},
       1,
       "config: predictor.average is COVARIANCE: LRP is not a function of the "
       "covariance alone; average the PREDICTOR"},
      {{"predictor.update_interval=0"},
       1,
       "config: predictor.update_interval is 0: it must be at least 1"},
      {{"schedule.epochs=5"},
       1,
       "config: schedule.warmup_epochs is 10: the whole schedule has 5 "
       "epochs"},
      {{"data.train_images=100"},
       1,
       "config: schedule.batch_size is 4096: an epoch has only 100 images"},
      {{"optimizer.momentum=nan"},
       1,
       "config: optimizer.momentum is nan: it must be at least 0 and below 1"},
  });
}

TEST(SettingsTest, RefusesWhatDoesNotGoTogether) {
  ExpectRefused({
      {{"method.kind=simsiam", "target.kind=ema"},
       1,
       "config: target.kind is EMA: SIMSIAM has no target network"},
      {{"method.kind=barlow_twins", "predictor.kind=mlp"},
       1,
       "config: predictor.kind is MLP: BARLOW_TWINS has no predictor"},
      {{"method.kind=vicreg", "target.copy_online=true"},
       1,
       "config: target.copy_online is true: VICREG has no target network"},
      {{"method.kind=liu", "predictor.kind=newton_schulz"},
       1,
       "config: predictor.kind is NEWTON_SCHULZ: LIU needs LINEAR"},
      {{"method.kind=barlow_twins", "method.variance_weight=25"},
       1,
       "config: method.variance_weight is 25: BARLOW_TWINS has no use for it"},
      {{"method.partitions=2"},
       1,
       "config: method.partitions is 2: BYOL has no use for it"},
      {{"method.kind=liu", "method.partitions=3"},
       1,
       "config: method.partitions is 3: the batch of 4096 does not divide into "
       "so many equal parts"},
      {{"method.kind=liu", "method.partitions=4", "schedule.batch_size=48"},
       6,
       "config: method.partitions is 4: a part must lie on one or several "
       "whole ones of the 6 devices, or a device hold several parts"},
      {{"optimizer.nesterov=true"},
       1,
       "config: optimizer.nesterov is true: it is SGD's, and optimizer.kind is "
       "LARS"},
      {{"optimizer.constant_predictor_rate=true"},
       1,
       "config: optimizer.constant_predictor_rate is true: there is no trained "
       "predictor"},
      {{"predictor.kind=mlp", "predictor.train_between=true"},
       1,
       "config: predictor.train_between is true: MLP is not a closed form"},
      {{"model.projector_sizes=[8,8]", "model.projector_bias=[true]"},
       1,
       "config: model.projector_sizes is [8,8]: model.projector_bias has 1 and "
       "model.projector_norms 2 entries; give one per layer"},
      {{"model.projector_sizes=[8,8]", "model.projector_output_size=4"},
       1,
       "config: model.projector_output_size is 4: the last of "
       "model.projector_sizes is 8"},
      {{"model.joint_statistics=true", "execution.join_views=false"},
       1,
       "config: model.joint_statistics is true: joint statistics need "
       "execution.join_views"},
  });
}

}  // namespace
}  // namespace xla_byol
