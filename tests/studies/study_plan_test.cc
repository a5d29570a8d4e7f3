#include "xla_byol/studies/study_plan.h"

#include <set>
#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "xla_byol/base/files.h"
#include "xla_byol/config/config.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

class StudyPlanTest : public testing::Test {
 protected:
  void SetUp() override {
    Write("base.textproto", "predictor { kind: NEWTON_SCHULZ ridge: 0.1 }");
  }

  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(WriteFileAtomically(folder_ + "/" + name, text).ok());
  }

  absl::StatusOr<StudyPlan> Read(const std::string& text,
                                 const std::vector<std::string>& set = {}) {
    Write("study.textproto", text);
    return ReadStudy(folder_ + "/study.textproto", set);
  }

  const std::string folder_ = TempFolder();
};

constexpr char kTwoAxes[] = R"(
  base: "base.textproto"
  set: "schedule.batch_size=512"
  seed: [3, 5]
  grid {
    axis {
      name: "predictor"
      point { label: "NS" set: "predictor.kind=NEWTON_SCHULZ" }
      point { label: "NS2" set: "predictor.kind=NS2" set: "predictor.decay=0.5" }
    }
    axis { field: "predictor.ridge" value: ["0", "0.15"] }
  }
  table { rows: "predictor" columns: "ridge" }
)";

TEST_F(StudyPlanTest, MultipliesAxesAndSeeds) {
  const absl::StatusOr<StudyPlan> plan = Read(kTwoAxes);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->study.name(), "study");
  ASSERT_EQ(plan->runs.size(), 8u);
  const StudyRun& run = plan->runs[7];
  EXPECT_EQ(run.name, "ns2-ridge-0.15-seed-5");
  EXPECT_EQ(run.config.seed(), 5u);
  EXPECT_EQ(run.config.predictor().kind(), Predictor::NS2);
  EXPECT_FLOAT_EQ(run.config.predictor().ridge(), 0.15f);
  EXPECT_EQ(run.config.schedule().batch_size(), 512);
  EXPECT_EQ(run.Label("predictor"), "NS2");
  EXPECT_EQ(run.Label("ridge"), "0.15");
  EXPECT_EQ(run.Label("nothing"), "");
  const NamedTexts values = {{"predictor.kind", "NS2"},
                             {"predictor.decay", "0.5"},
                             {"predictor.ridge", "0.15"}};
  EXPECT_EQ(run.values, values);
  // What nobody set is resolved.
  EXPECT_EQ(run.config.predictor().iterations(), 7);
  EXPECT_EQ(plan->runs[1].name, "ns-ridge-0-seed-5");
}

TEST_F(StudyPlanTest, SetFlagsComeLast) {
  const absl::StatusOr<StudyPlan> plan =
      Read(kTwoAxes, {"schedule.batch_size=64"});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->runs[0].config.schedule().batch_size(), 64);
}

TEST_F(StudyPlanTest, GridsAddUpAndPointsMayHaveConfigsOfTheirOwn) {
  Write("other.textproto", "predictor { kind: LINEAR }");
  const absl::StatusOr<StudyPlan> plan = Read(R"(
    base: "base.textproto"
    grid { axis { name: "p" point { label: "a" } point { label: "b" base: "other.textproto" } } }
    grid { set: "schedule.epochs=7" axis { name: "q" point { label: "c" } } })");
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->runs.size(), 3u);
  EXPECT_EQ(plan->runs[1].config.predictor().kind(), Predictor::LINEAR);
  EXPECT_EQ(plan->runs[1].values, (NamedTexts{{"config", "other.textproto"}}));
  EXPECT_EQ(plan->runs[2].config.schedule().epochs(), 7);
  EXPECT_EQ(plan->runs[0].config.schedule().epochs(), 100);
}

TEST_F(StudyPlanTest, ErrorsNameWhatIsWrong) {
  const auto error = [this](const std::string& text) {
    const absl::StatusOr<StudyPlan> plan = Read(text);
    EXPECT_TRUE(absl::IsInvalidArgument(plan.status())) << plan.status();
    return std::string(plan.status().message());
  };
  EXPECT_TRUE(absl::StrContains(error("bose: \"x\""), "did you mean 'base'?"));
  EXPECT_TRUE(
      absl::StrContains(error("base: \"none.textproto\""), "none.textproto"));
  EXPECT_TRUE(absl::StrContains(
      error(R"(base: "base.textproto" set: "predictor.rigde=1")"),
      "did you mean 'ridge'?"));
  EXPECT_TRUE(absl::StrContains(
      error(R"(base: "base.textproto" grid { axis { name: "p" } })"),
      "the axis 'p' has neither values nor points"));
  EXPECT_TRUE(
      absl::StrContains(error(R"(base: "base.textproto" grid { axis { name: "p"
               point { label: "a" } point { label: "A" } } })"),
                        "two runs have the name 'a-seed-0'"));
  EXPECT_TRUE(
      absl::StrContains(error(R"(base: "base.textproto"
               grid { axis { name: "p" point { label: "a" } } }
               table { rows: "q" })"),
                        "table rows: there is no axis 'q'; did you mean 'p'?"));
}

TEST_F(StudyPlanTest, OnlyChoosesRuns) {
  const absl::StatusOr<StudyPlan> plan = Read(kTwoAxes);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto count = [&plan](const char* only) {
    const auto runs = SelectRuns(plan->runs, only);
    EXPECT_TRUE(runs.ok()) << runs.status();
    return runs.ok() ? runs->size() : 0;
  };
  EXPECT_EQ(count(""), 8u);
  EXPECT_EQ(count("ns"), 4u);
  EXPECT_EQ(count("NS2,seed=3"), 2u);
  EXPECT_EQ(count("predictor=NS2, ridge=0.15, seed=3"), 1u);
  EXPECT_EQ(count("ns-ridge-0-seed-5"), 1u);
  const auto none = SelectRuns(plan->runs, "NS3");
  EXPECT_TRUE(absl::StrContains(none.status().message(),
                                "--only=NS3: no run has 'NS3'; did you mean"));
}

// A study that nobody runs for months must still be one.
TEST(StudiesOfTheRepositoryTest, AreValid) {
  const std::string folder = "configs/studies";
  const auto names = ListDirectory(folder);
  ASSERT_TRUE(names.ok()) << names.status();
  std::set<std::string> titles;
  for (const std::string& name : *names) {
    const auto plan = ReadStudy(folder + "/" + name, {});
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_FALSE(plan->study.table().empty()) << name;
    EXPECT_TRUE(titles.insert(plan->study.title()).second) << name;
    for (const StudyRun& run : plan->runs) {
      // As many devices as each study is meant for.
      const int devices = absl::StartsWith(name, "imagenet") ? 128 : 1;
      EXPECT_TRUE(ValidateConfig(run.config, devices).ok())
          << name << ": " << run.name << ": "
          << ValidateConfig(run.config, devices);
    }
  }
  EXPECT_GE(titles.size(), 15u);
}

}  // namespace
}  // namespace xla_byol
