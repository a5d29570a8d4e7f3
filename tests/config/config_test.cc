#include "xla_byol/config/config.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla_byol {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(const absl::Status& status) {
  return std::string(status.message());
}

TEST(ConfigTest, FormatReadsBackAsTheSameConfig) {
  const Config config = ParseConfig(R"pb(
                                      name: "a \"quoted\" name"
                                      seed: 18446744073709551615
                                      data { channels: 1 image_size: 28 }
                                      model { stem: SMALL base_channels: 16 }
                                      optimizer { base_learning_rate: 0.1 }
                                    )pb",
                                    "test")
                            .value();
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
    ASSERT_TRUE(SetConfigFields({assignment}, &config).ok()) << assignment;
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
  ASSERT_TRUE(SetConfigFields({"data.mean=0.1"}, &config).ok());
  EXPECT_THAT(config.data().mean(), ElementsAre(0.1f));
}

TEST(ConfigTest, ListsReplaceAndSingleValuesFollowEachOther) {
  const auto mean = [](const std::vector<std::string>& assignments) {
    Config config = ParseConfig("data { mean: 9 mean: 8 }", "file").value();
    const absl::Status status = SetConfigFields(assignments, &config);
    EXPECT_TRUE(status.ok()) << status;
    return std::vector<float>(config.data().mean().begin(),
                              config.data().mean().end());
  };
  EXPECT_THAT(mean({}), ElementsAre(9, 8));
  EXPECT_THAT(mean({"data.mean=[0.5, 0.25,1]"}), ElementsAre(0.5f, 0.25f, 1));
  EXPECT_THAT(mean({"data.mean=0.5,0.25"}), ElementsAre(0.5f, 0.25f));
  EXPECT_THAT(mean({"data.mean=1", "seed=3", "data.mean=2", "data.mean=3"}),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(mean({"data.mean=1", "data.mean=[2,3]", "data.mean=4"}),
              ElementsAre(2, 3, 4));
  EXPECT_THAT(mean({"data.mean=[7]", "data.mean=[6]"}), ElementsAre(6));
  EXPECT_THAT(mean({"data.mean=[]"}), ElementsAre());
  Config config;
  EXPECT_THAT(ErrorOf(SetConfigFields({"data.mean=[1,2"}, &config)),
              HasSubstr("--set=data.mean=[1,2"));
}

TEST(ConfigTest, BadAssignmentsSayWhatIsValid) {
  Config config;
  const auto error = [&config](const char* assignment) {
    return ErrorOf(SetConfigFields({assignment}, &config));
  };
  EXPECT_EQ(error("predictor.rigde=0.3"),
            "--set=predictor.rigde=0.3: there is no field 'rigde' in "
            "Predictor; did you mean 'ridge'?");
  EXPECT_EQ(
      error("predictor.kind=newton_shulz"),
      "predictor.kind: 'newton_shulz' is none of NEWTON_SCHULZ, LINEAR, "
      "MLP, IDENTITY, LRP, NE, VISSER, NS2, STIEFEL, DIRECTPRED, "
      "DIRECTCOPY, DIRECTCOPY_NORMALIZED, LRP2; did you mean NEWTON_SCHULZ?");
  EXPECT_THAT(error("seed"), HasSubstr("expected path.to.field=value"));
  EXPECT_THAT(error("model=3"), HasSubstr("'model' is a group of fields"));
  EXPECT_THAT(error("seed.x=3"),
              HasSubstr("'seed' is a single field and has no field 'x'"));
  EXPECT_THAT(error("schedule.batch_size=many"),
              HasSubstr("--set=schedule.batch_size=many: Expected"));
  EXPECT_THAT(error("=3"), HasSubstr("there is no field ''"));
}

}  // namespace
}  // namespace xla_byol
