#include "xla_byol/config/config.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla_byol {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Config Resolved(const std::string& text = "") {
  Config config = ParseConfig(text, "test").value();
  ResolveConfig(&config);
  return config;
}

std::string ErrorOf(const absl::Status& status) {
  return std::string(status.message());
}

TEST(ConfigTest, DefaultsAreThePapersHundredEpochs) {
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

TEST(ConfigTest, ClosedFormsHaveThePapersNumbers) {
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
    EXPECT_TRUE(IsClosedForm(config.predictor().kind())) << row.kind;
  }
}

TEST(ConfigTest, FormatReadsBackAsTheSameConfig) {
  const Config config = Resolved(R"pb(
    name: "a \"quoted\" name"
    seed: 18446744073709551615
    data { channels: 1 image_size: 28 }
    model { stem: SMALL base_channels: 16 }
    optimizer { base_learning_rate: 0.1 }
  )pb");
  const Config again = ParseConfig(FormatConfig(config), "again").value();
  EXPECT_EQ(again.SerializeAsString(), config.SerializeAsString());
}

TEST(ConfigTest, ErrorsHavePlaceAndNearestField) {
  EXPECT_EQ(ErrorOf(ParseConfig("model {\n  archtecture: \"resnet50\"\n}",
                                "run.textproto")
                        .status()),
            "run.textproto:2:14: Message type \"xla_byol.Model\" has no field "
            "named \"archtecture\"; did you mean 'architecture'?");
  EXPECT_THAT(ErrorOf(ParseConfig("seed: -1", "f").status()),
              HasSubstr("f:1:7: "));
  EXPECT_THAT(ErrorOf(ParseConfig("model { stem: HUGE }", "f").status()),
              HasSubstr("HUGE"));
}

TEST(ConfigTest, SetsFieldsOfEveryType) {
  Config config;
  for (const char* assignment :
       {"seed=7", "name=a=b c", "model.stem=small", "predictor.ridge=0.3",
        "target.copy_online=true", "data.mean=0.5,0.25,1",
        "schedule.batch_size=64", "predictor.kind=LINEAR"}) {
    ASSERT_TRUE(SetConfigField(assignment, &config).ok()) << assignment;
  }
  EXPECT_EQ(config.seed(), 7u);
  EXPECT_EQ(config.name(), "a=b c");
  EXPECT_EQ(config.model().stem(), Model::SMALL);
  EXPECT_FLOAT_EQ(config.predictor().ridge(), 0.3f);
  EXPECT_TRUE(config.target().copy_online());
  EXPECT_THAT(config.data().mean(), ElementsAre(0.5f, 0.25f, 1.0f));
  EXPECT_EQ(config.schedule().batch_size(), 64);
  EXPECT_EQ(config.predictor().kind(), Predictor::LINEAR);
  // The last one counts, for lists too.
  ASSERT_TRUE(SetConfigField("data.mean=0.1", &config).ok());
  EXPECT_THAT(config.data().mean(), ElementsAre(0.1f));
}

TEST(ConfigTest, BadAssignmentsSayWhatIsValid) {
  Config config;
  const auto error = [&config](const char* assignment) {
    return ErrorOf(SetConfigField(assignment, &config));
  };
  EXPECT_EQ(error("predictor.rigde=0.3"),
            "--set=predictor.rigde=0.3: there is no field 'rigde' in "
            "Predictor; did you mean 'ridge'?");
  EXPECT_EQ(error("predictor.kind=newton_shulz"),
            "predictor.kind: 'newton_shulz' is none of NEWTON_SCHULZ, LINEAR, "
            "MLP, IDENTITY, LRP, NE, VISSER, NS2, STIEFEL, DIRECTPRED, "
            "DIRECTCOPY; did you mean NEWTON_SCHULZ?");
  EXPECT_THAT(error("seed"), HasSubstr("expected path.to.field=value"));
  EXPECT_THAT(error("model=3"), HasSubstr("'model' is a group of fields"));
  EXPECT_THAT(error("seed.x=3"),
              HasSubstr("'seed' is a single field and has no field 'x'"));
  EXPECT_THAT(error("schedule.batch_size=many"),
              HasSubstr("--set=schedule.batch_size=many"));
  EXPECT_THAT(error("=3"), HasSubstr("there is no field ''"));
}

TEST(ConfigTest, RefusesWhatMakesNoSense) {
  struct Case {
    std::vector<std::string> set;
    int devices;
    std::string error;
  };
  const Case cases[] = {
      {{"schedule.batch_size=100"},
       8,
       "config: schedule.batch_size is 100: it must divide by the 8 devices"},
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
       "config: predictor.average is COVARIANCE: LRP is no function of the "
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
  };
  for (const Case& bad : cases) {
    EXPECT_EQ(ErrorOf(LoadConfig("", "none", bad.set, bad.devices).status()),
              bad.error);
  }
}

}  // namespace
}  // namespace xla_byol
