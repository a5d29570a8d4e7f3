#include "xla_byol/reporting/report.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "tests/reporting/synthetic_run.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_reader.h"
#include "xla_byol/metrics/metrics_record.h"
#include "xla_byol/reporting/report_page.h"
#include "xla_byol/reporting/report_run.h"

namespace xla_byol {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A run with these lines.
std::string RunOf(const std::vector<MetricsRecord>& records) {
  const std::string folder = TempFolder();
  std::string content;
  for (const MetricsRecord& record : records) {
    absl::StrAppend(&content, ToJson(record), "\n");
  }
  EXPECT_TRUE(WriteFileAtomically(MetricsPath(folder), content).ok());
  return folder;
}

const ReportTable* FindTable(const ReportRun& run, const std::string& kind) {
  for (const ReportTable& table : run.tables) {
    if (table.kind == kind) return &table;
  }
  return nullptr;
}

TEST(ReportRunTest, ReadsASyntheticRun) {
  const std::string folder = TempFolder();
  WriteSyntheticRun(folder, {.steps = 200});
  const auto run = ReadReportRun(folder);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->name, "fashion_mnist");
  EXPECT_EQ(run->latent_size, 64);
  EXPECT_EQ(run->headline.steps, 200);
  EXPECT_NEAR(run->headline.linear_top1, 0.87, 0.01);
  EXPECT_NEAR(run->headline.images_per_s, 2300, 30);
  EXPECT_NEAR(run->headline.seconds, 0.11 * 200, 1e-6);
  EXPECT_NEAR(run->headline.stable_rank, 0.65, 0.03);
  ASSERT_NE(FindTable(*run, "train"), nullptr);
  EXPECT_EQ(FindTable(*run, "train")->axis.step.size(), 200u);
  EXPECT_FALSE(FindTable(*run, "train")->grouped);
  ASSERT_EQ(run->heatmaps.size(), 1u);
  EXPECT_EQ(run->heatmaps[0].shares.size(), 10u);
  EXPECT_EQ(run->pictures.size(), 2u);  // the first and the last
}

TEST(ReportRunTest, AConfigOfAnotherVersionIsReadAsFarAsItGoes) {
  const std::string folder = RunOf({{.kind = "train", .step = 1}});
  ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, "config.textproto"),
                                  "future { a: 'b' }\nname: 'new'\nmodel {\n"
                                  "  future: 1  # projector_output_size: 7\n"
                                  "  projector_output_size: 48\n}\n")
                  .ok());
  const auto run = ReadReportRun(folder);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->name, "new");
  EXPECT_EQ(run->latent_size, 48);
  ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, "config.textproto"),
                                  "name: 'newer'\n"
                                  "model { projector_output_size: 24 }\n"
                                  "predictor { kind: FUTURE }\n")
                  .ok());
  EXPECT_EQ(ReadReportRun(folder)->name, "newer");
  EXPECT_EQ(ReadReportRun(folder)->latent_size, 24);
  ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, "config.textproto"),
                                  "name: 'cut'\nmodel {")
                  .ok());
  EXPECT_EQ(ReadReportRun(folder)->name, "cut");
  EXPECT_EQ(ReadReportRun(folder)->latent_size, 0);
}

TEST(ReportRunTest, ValuesThatComeLateLeaveGapsBefore) {
  const auto run = ReadReportRun(
      RunOf({{.kind = "train", .step = 1, .values = {{"a", 1}}},
             {.kind = "train", .step = 2, .values = {{"b", 2}, {"a", 3}}},
             {.kind = "train", .step = 3, .values = {{"b", 4}}}}));
  ASSERT_TRUE(run.ok()) << run.status();
  const auto& columns = FindTable(*run, "train")->columns;
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[0].first, "a");
  EXPECT_EQ(columns[0].second.mean[1], 3);
  EXPECT_TRUE(std::isnan(columns[0].second.mean[2]));
  EXPECT_TRUE(std::isnan(columns[1].second.mean[0]));
  EXPECT_EQ(columns[1].second.mean[2], 4);
}

TEST(ReportRunTest, ALongRunHasFewPointsAndKeepsItsSpikes) {
  std::vector<MetricsRecord> records;
  for (int64_t step = 1; step <= 20000; ++step) {
    records.push_back({.kind = "train",
                       .step = step,
                       .values = {{"loss", step == 7777 ? 50.0 : 1.0}}});
    records.push_back({.kind = "diagnostics", .step = step});
    records.back().histograms = {
        {"spectrum", {0, 0.5, 1}, {1, static_cast<double>(step % 2)}}};
  }
  const auto run = ReadReportRun(RunOf(records));
  ASSERT_TRUE(run.ok()) << run.status();
  const ReportTable& table = *FindTable(*run, "train");
  EXPECT_EQ(table.axis.step.size(), kMaxCurvePoints);
  EXPECT_EQ(table.axis.step.back(), 20000);
  EXPECT_TRUE(table.grouped);
  const std::vector<double>& high = table.columns[0].second.high;
  EXPECT_EQ(*std::max_element(high.begin(), high.end()), 50);
  EXPECT_EQ(run->heatmaps[0].shares.size(), kMaxHeatmapColumns);
  // Shares of every other record are 1 and 0, of the others one half each.
  EXPECT_NEAR(run->heatmaps[0].shares[10][0], 0.75, 0.01);
}

TEST(ReportRunTest, PausesAreNoPartOfTheTime) {
  const auto train = [](int64_t step, double time) {
    return MetricsRecord{
        .kind = "train", .step = step, .time = time, .values = {{"loss", 1}}};
  };
  const std::string folder =
      RunOf({train(1, 100),
             train(2, 110),
             {.kind = kResume, .step = 2, .time = 5000},
             train(3, 5010),
             // Killed twice before it came any further, with another clock.
             {.kind = kResume, .step = 3, .time = 6000},
             {.kind = kResume, .step = 3, .time = 5900},
             train(4, 5907)});
  const auto run = ReadReportRun(folder);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->headline.seconds, 27);
  EXPECT_EQ(run->headline.steps, 4);
  EXPECT_EQ(FindTable(*run, "train")->axis.seconds,
            (std::vector<double>{0, 10, 20, 27}));
  EXPECT_EQ(FindTable(*run, "resume"), nullptr);
}

// The last column value of the report's evaluations, and how many there are.
std::pair<double, size_t> LastLinear(const std::string& folder) {
  const auto run = ReadReportRun(folder);
  EXPECT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->headline.seconds, 20);
  return {run->headline.linear_top1,
          FindTable(*run, "evaluation")->axis.step.size()};
}

TEST(ReportRunTest, WhatEvaluateFoundIsAmongTheEvaluations) {
  const std::string folder = RunOf(
      {{.kind = "train", .step = 10, .time = 100, .values = {{"loss", 1}}},
       {.kind = kEvaluation,
        .step = 10,
        .time = 110,
        .values = {{"linear_top1", 0.25}, {"knn_top1", 0.125}}},
       {.kind = "train", .step = 20, .time = 120, .values = {{"loss", 1}}}});
  const auto found = [&](int64_t step, double top1) {
    const MetricsRecord record = {.kind = kEvaluation,
                                  .step = step,
                                  .time = 5000,
                                  .values = {{"linear_top1", top1}}};
    EXPECT_TRUE(
        WriteFileAtomically(EvaluationPath(folder), ToJson(record) + "\n")
            .ok());
    return LastLinear(folder);
  };
  using ::testing::Pair;
  EXPECT_THAT(LastLinear(folder), Pair(0.25, 1));
  EXPECT_THAT(found(20, 0.5), Pair(0.5, 2));  // later
  EXPECT_THAT(found(10, 0.5), Pair(0.5, 1));  // once more, of the same state
  EXPECT_EQ(ReadReportRun(folder)->headline.knn_top1, 0.125);  // not replaced
  EXPECT_THAT(found(5, 0.5), Pair(0.25, 2));                   // before
  EXPECT_THAT(found(30, 0.5), Pair(0.25, 1));  // no longer a part of the run
  EXPECT_TRUE(WriteFileAtomically(EvaluationPath(folder), "{\"step\":1}").ok());
  EXPECT_THAT(LastLinear(folder), Pair(0.25, 1));
}

TEST(ReportRunTest, LabelsAreAsShortAsTheyCanBe) {
  const auto labels = [](const std::vector<std::string>& directories) {
    std::vector<ReportRun> runs;
    for (const std::string& directory : directories) {
      runs.emplace_back().directory = directory;
    }
    LabelRuns(runs);
    std::vector<std::string> made;
    for (const ReportRun& run : runs) made.push_back(run.label);
    return made;
  };
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels({"/x/a", "/x/b/"}), (Labels{"a", "b"}));
  EXPECT_EQ(labels({"/x/1/run", "/y/2/run"}), (Labels{"1/run", "2/run"}));
  EXPECT_EQ(labels({"/x/a", "/x/a"}), (Labels{"x/a", "x/a"}));
}

TEST(ReportTest, AMissingOrEmptyRunIsOneClearSentence) {
  const std::string out = JoinPath(TempFolder(), "report.html");
  EXPECT_EQ(WriteReport({"/no/such"}, out).message(),
            "'/no/such' does not exist: give a directory that train wrote");
  const std::string folder = TempFolder();
  EXPECT_EQ(WriteReport({folder}, out).message(),
            absl::StrCat("'", folder,
                         "' has no metrics.jsonl: it is not a run directory, "
                         "or its training has not begun"));
  const std::string empty = RunOf({});
  EXPECT_EQ(WriteReport({empty}, out).message(),
            absl::StrCat("'", empty,
                         "/metrics.jsonl' holds no record yet: there is "
                         "nothing to report before the first step"));
  EXPECT_FALSE(FileExists(out));
}

TEST(ReportTest, ThePageHoldsItsDataAndAsksForNothing) {
  const std::string folder = TempFolder();
  WriteSyntheticRun(folder, {.steps = 30, .evaluate_every = 10});
  const std::string out = JoinPath(folder, "report.html");
  ASSERT_TRUE(WriteReport({folder}, out).ok());
  const std::string page = ReadFile(out).value();
  const size_t begin = page.find("id=\"data\">") + 10;
  const auto data =
      ParseJson(page.substr(begin, page.find("</script>", begin) - begin));
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("url(http")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  const std::string png =
      ReadFile(JoinPath(folder, "samples/views-step-00000030.png")).value();
  EXPECT_THAT(page, HasSubstr(absl::Base64Escape(png)));
}

TEST(ReportTest, NamesCannotBreakOutOfTheData) {
  ReportRun run;
  run.label = "</script><script>alert(1)</script><!--";
  run.config = run.label;
  const std::string page = ReportPage({run});
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("&lt;/script&gt;"));
}

}  // namespace
}  // namespace xla_byol
