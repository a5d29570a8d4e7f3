#include "xla_byol/studies/results.h"

#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "xla_byol/base/files.h"
#include "xla_byol/config/config.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/metrics/metrics_record.h"
#include "xla_byol/studies/result_table.h"
#include "xla_byol/studies/shared_runs.h"
#include "xla_byol/studies/study_cost.h"
#include "xla_byol/studies/study_page.h"
#include "xla_byol/studies/study_plan.h"

namespace xla_byol {
namespace {

// A study of four runs without a single training: files as `train` leaves them.
class ResultsTest : public testing::Test {
 protected:
  void SetUp() override {
    Write("base.textproto", "schedule { batch_size: 64 epochs: 1 }");
    Write("s.textproto", R"(
      base: "base.textproto"
      seed: [0, 1]
      minutes: 2
      cost { topology: "v3:8x8" batch_size: 64 step_ms: 100 }
      cost { topology: "v3:2x2" batch_size: 32 step_ms: 100 }
      grid { axis { field: "predictor.kind" value: ["NS2", "STIEFEL"] } }
      table {
        title: "Both." rows: "kind" measure: ["linear_top1", "seconds"]
        paper_title: "the paper" paper { label: "NS2" cell: "68.8" }
      }
      figure { title: "Loss" metric: "loss" curves: "kind" }
      figure { title: "Later" metric: "loss" curves: "kind" from_epoch: 0.2 })");
    auto plan = ReadStudy(JoinPath(folder_, "s.textproto"), {});
    ASSERT_TRUE(plan.ok()) << plan.status();
    plan_ = *std::move(plan);
    ASSERT_EQ(plan_.runs.size(), 4u);
  }

  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(WriteFileAtomically(JoinPath(folder_, name), text).ok());
  }

  void Finish(size_t i, double accuracy, int64_t step) {
    const StudyRun& run = plan_.runs[i];
    const std::string dir = RunDirectoryOf(folder_, run);
    ASSERT_TRUE(WriteProvenance(dir, {"cpu", "1234"}).ok());
    const std::string name = absl::StrCat("runs/", run.name, "/");
    Write(name + "config.textproto", FormatConfig(run.config));
    MetricsRecord first{.kind = "train", .step = 1, .epoch = 0.1, .time = 1000};
    first.values = {{"loss", 9}};
    MetricsRecord second{
        .kind = "train", .step = 2, .epoch = 0.2, .time = 1001};
    second.values = {{"loss", 0.5 + accuracy}};
    Write(name + "metrics.jsonl",
          absl::StrCat(ToJson(first), "\n", ToJson(second), "\n"));
    MetricsRecord record{.kind = kEvaluation, .step = step, .time = 1030.4};
    record.values = {{"linear_top1", accuracy}, {"knn_top1", 0.5}};
    Write(name + "evaluation.json", ToJson(record) + "\n");
  }

  int64_t Steps() const { return TotalSteps(plan_.runs[0].config); }

  const std::string folder_ = TempFolder();
  StudyPlan plan_;
};

TEST_F(ResultsTest, OnlyCompleteRunsCount) {
  Finish(0, 0.80, Steps());
  Finish(1, 0.84, Steps());
  Finish(2, 0.90, Steps() - 1);  // `evaluate`, called before the end
  const auto results = CollectResults(folder_, plan_);
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), 2u);
  const auto text = ReadFile(JoinPath(folder_, kResultsFile));
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(absl::StartsWith(
      *text,
      "{\"study\":\"s\",\"values\":{\"predictor.kind\":\"NS2\"},\"seed\":0,"
      "\"linear_top1\":0.8,\"linear_top5\":null,\"knn_top1\":0.5,"
      "\"feature_rank\":null,\"seconds\":30,\"plugin\":\"cpu\","
      "\"commit\":\"1234\",\"run\":\"ns2-seed-0\"}\n"))
      << *text;
  // What was written reads back as the same.
  const auto parsed = ParseResults(*text, "file");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_EQ(parsed->size(), 2u);
  EXPECT_EQ(ToJson((*parsed)[1]), ToJson((*results)[1]));
  EXPECT_TRUE(absl::StrContains(
      ParseResults("\n{\"seed\":", "file").status().message(), "file:2: "));
}

TEST_F(ResultsTest, ARunOfAnotherConfigIsRefused) {
  Finish(0, 0.8, Steps());
  plan_.runs[0].config.mutable_optimizer()->set_momentum(0.5);
  const auto results = CollectResults(folder_, plan_);
  EXPECT_TRUE(absl::IsFailedPrecondition(results.status()));
  EXPECT_TRUE(absl::StrContains(results.status().message(), "momentum"))
      << results.status();
}

TEST_F(ResultsTest, ARunOfAnotherStudyCountsIfNothingDiffers) {
  // The plan once more, as the study "t" beside "s".
  Finish(0, 0.8, Steps());
  Finish(1, 0.9, Steps() - 1);
  const std::string studies = JoinPath(folder_, "studies");
  std::filesystem::create_directories(studies);
  const std::string s = JoinPath(studies, "s");
  std::filesystem::create_directory_symlink(folder_, s);
  const std::string t = JoinPath(studies, "t");
  StudyRun run = plan_.runs[0];
  run.config.set_name("t/other");
  const Provenance same = {"cpu", "1234"};
  const auto take = [&](const StudyRun& wanted, const Provenance& with) {
    return TakeSharedRun(studies, t, wanted, with).value();
  };
  // What differs in anything is not the same.
  EXPECT_EQ(take(run, {"gpu", "1234"}), "");
  EXPECT_EQ(take(run, {"cpu", "1235"}), "");
  EXPECT_EQ(take(run, {"cpu", "1234", "--devices=2"}), "");
  EXPECT_EQ(take(plan_.runs[1], same), "") << "it is not complete";
  for (const char* change :
       {"optimizer.momentum=0.5", "seed=7", "evaluation.neighbours=3",
        "recording.diagnostics_interval=1"}) {
    StudyRun changed = run;
    ASSERT_TRUE(SetConfigFields({change}, &changed.config).ok());
    EXPECT_EQ(take(changed, same), "") << change;
  }
  EXPECT_FALSE(FileExists(t));

  EXPECT_EQ(take(run, same), JoinPath(s, "runs/ns2-seed-0"));
  const auto result = ReadFinishedRun(t, "t", run);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_TRUE(result->has_value());
  EXPECT_EQ((*result)->taken_from, "s/ns2-seed-0");
  EXPECT_EQ((*result)->Measure("linear_top1"), 0.8);
  const std::string line = ToJson(**result);
  EXPECT_EQ(ToJson(ParseResults(line, "file").value()[0]), line);

  // Once the other study is gone, so is the link, and the run can be trained.
  std::filesystem::remove_all(JoinPath(folder_, "runs"));
  EXPECT_EQ(take(run, same), "");
  EXPECT_FALSE(std::filesystem::is_symlink(RunDirectoryOf(t, run)));
  EXPECT_TRUE(WriteProvenance(RunDirectoryOf(t, run), same).ok());
}

TEST_F(ResultsTest, NothingIsTakenByAProgramWithChangesOnTop) {
  Finish(0, 0.8, Steps());
  ASSERT_TRUE(WriteProvenance(RunDirectoryOf(folder_, plan_.runs[0]),
                              {"cpu", "1234-dirty"})
                  .ok());
  const std::string studies = JoinPath(folder_, "studies");
  std::filesystem::create_directories(studies);
  std::filesystem::create_directory_symlink(folder_, JoinPath(studies, "s"));
  EXPECT_EQ(TakeSharedRun(studies, JoinPath(studies, "t"), plan_.runs[0],
                          {"cpu", "1234-dirty"})
                .value(),
            "");
}

TEST_F(ResultsTest, TablesHaveMeanAndDeviation) {
  Finish(0, 0.80, Steps());
  Finish(1, 0.84, Steps());
  Finish(2, 0.90, Steps());
  const auto results = CollectResults(folder_, plan_);
  ASSERT_TRUE(results.ok()) << results.status();
  const ResultTable table = MakeTables(plan_, *results)[0];
  // sqrt((0.02^2 + 0.02^2) / 1) = 0.0283
  EXPECT_EQ(table.CellText(0, 0), "82.00 ± 2.83");
  EXPECT_EQ(table.CellText(1, 0), "90.00 [1/2]");
  EXPECT_EQ(table.CellText(0, 1), "30.0 ± 0.0");
  EXPECT_FALSE(table.cells[0][0].best);
  EXPECT_TRUE(table.cells[1][0].best);
  EXPECT_FALSE(table.cells[1][1].best) << "more seconds are no merit";
  EXPECT_EQ(table.cells[0][0].paper, "68.8");
  EXPECT_EQ(TableMarkdown(table),
            "**Both.** In brackets: the paper.\n\n"
            "| kind | linear probe, top 1 | seconds |\n|---|---|---|\n"
            "| NS2 | 82.00 ± 2.83 (68.8) | 30.0 ± 0.0 |\n"
            "| STIEFEL | <u>90.00 [1/2]</u> | 30.0 [1/2] |\n");
  EXPECT_TRUE(absl::StrContains(TableText(table),
                                "  NS2       82.00 ± 2.83          30.0"))
      << TableText(table);
}

TEST_F(ResultsTest, CellsOfAnAxisMarkTheBestOfARowAndOfAll) {
  const auto plan = [this](const std::string& text) {
    Write("t.textproto", text);
    return ReadStudy(JoinPath(folder_, "t.textproto"), {}).value();
  }(R"(base: "base.textproto"
       grid { axis { field: "predictor.kind" value: ["NS2", "STIEFEL"] }
              axis { field: "predictor.ridge" value: ["0", "0.3"] } }
       grid { axis { name: "kind" point { label: "linear" } } }
       table { title: "T" rows: "kind" columns: "ridge" })");
  std::vector<StudyResult> results;
  const std::vector<std::pair<std::string, double>> accuracies = {
      {"ns2-ridge-0-seed-0", 0.5},
      {"ns2-ridge-0.3-seed-0", 0.6},
      {"stiefel-ridge-0-seed-0", 0.7},
      {"stiefel-ridge-0.3-seed-0", 0.4}};
  for (const auto& [run, value] : accuracies) {
    StudyResult& result = results.emplace_back();
    result.run = run;
    result.measures = {{"linear_top1", value}};
  }
  const ResultTable table = MakeTables(plan, results)[0];
  EXPECT_EQ(table.columns, (std::vector<std::string>{"0", "0.3"}));
  EXPECT_TRUE(table.cells[0][1].best);
  EXPECT_FALSE(table.cells[0][1].best_of_all);
  EXPECT_TRUE(table.cells[1][0].best_of_all);
  EXPECT_EQ(table.CellText(2, 0), "") << "the study has no such point";
}

TEST_F(ResultsTest, ThePageHoldsTablesAndFigures) {
  Finish(0, 0.80, Steps());
  const auto results = CollectResults(folder_, plan_);
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_TRUE(WriteStudyPage(plan_, *results, folder_).ok());
  const auto page = ReadFile(JoinPath(folder_, kStudyPageFile));
  ASSERT_TRUE(page.ok());
  EXPECT_TRUE(absl::StrContains(*page, "80.00 [1/2]"));
  const auto figures = ReadFile(JoinPath(folder_, kFiguresFile));
  ASSERT_TRUE(figures.ok());
  EXPECT_TRUE(absl::StrContains(*figures, "\"mean\":[9,1.3]")) << *figures;
  EXPECT_TRUE(absl::StrContains(*figures, "\"mean\":[1.3]")) << *figures;
  EXPECT_TRUE(absl::StrContains(*figures, "\"epoch\":[0.2]")) << *figures;
}

TEST_F(ResultsTest, CostsAreThoseOfRunsThatAreLeft) {
  Finish(0, 0.80, Steps());
  const auto results = CollectResults(folder_, plan_);
  ASSERT_TRUE(results.ok()) << results.status();
  const std::vector<Cost> costs(plan_.study.cost().begin(),
                                plan_.study.cost().end());
  // 20018 steps of 0.1 s, three times, are 1.67 hours.
  ASSERT_EQ(Steps(), 20018);
  const std::string text = DescribeCost(plan_, plan_.runs, *results, costs, 2);
  EXPECT_TRUE(absl::StrContains(text, "s: 4 runs, 1 of them complete")) << text;
  EXPECT_TRUE(absl::StrContains(text, "v3:8x8: 1.7 slice-hours")) << text;
  EXPECT_FALSE(absl::StrContains(text, "v3:2x2")) << text;
  EXPECT_TRUE(absl::StrContains(text, "1m30s if runs take")) << text;
  const auto read = ReadScalingCosts(
      "topology,devices,global_batch,step_seconds\nv3:2x2,8,64,\n"
      "v3:4x4,32,64,0.25\n",
      "x.csv");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ((*read)[0].topology(), "v3:4x4");
  EXPECT_FLOAT_EQ((*read)[0].step_ms(), 250);
  EXPECT_TRUE(absl::IsInvalidArgument(
      ReadScalingCosts("a,b\n1,2\n", "x.csv").status()));
}

}  // namespace
}  // namespace xla_byol
