#include "xla_byol/metrics/metrics_log.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/tfrecord.h"

namespace xla_byol {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

std::unique_ptr<MetricsLog> OpenLog(const std::string& folder, int64_t steps) {
  auto log = MetricsLog::Open(folder, steps);
  EXPECT_TRUE(log.ok()) << log.status();
  return *std::move(log);
}

void WriteSteps(MetricsLog& log, int64_t first, int64_t last) {
  for (int64_t step = first; step <= last; ++step) {
    log.Write({.kind = "train",
               .step = step,
               .values = {{"loss", 1.0 / static_cast<double>(step)}}});
  }
}

std::vector<int64_t> Steps(const std::string& folder) {
  std::vector<int64_t> steps;
  const auto records = ReadMetrics(folder);
  for (const MetricsRecord& record : records.value()) {
    steps.push_back(record.step);
  }
  return steps;
}

std::vector<std::string> EventFiles(const std::string& folder) {
  std::vector<std::string> files;
  const auto names = ListDirectory(folder);
  for (const std::string& name : names.value()) {
    if (name.find("tfevents") != std::string::npos) files.push_back(name);
  }
  return files;
}

TEST(MetricsLogTest, ARecordIsReadableAtOnce) {
  const std::string folder = TempFolder();
  const auto log = OpenLog(folder, 0);
  WriteSteps(*log, 1, 1);
  const auto records = ReadMetrics(folder);
  ASSERT_EQ(records->size(), 1u);
  EXPECT_EQ(records->front().Value("loss"), 1);
  EXPECT_NEAR(records->front().time, static_cast<double>(time(nullptr)), 60);
}

TEST(MetricsLogTest, KnowsWhetherItResumes) {
  const std::string folder = TempFolder();
  {
    const auto log = OpenLog(folder, 0);
    EXPECT_FALSE(log->resumes());
    WriteSteps(*log, 1, 2);
  }
  EXPECT_TRUE(OpenLog(folder, 1)->resumes());
  EXPECT_FALSE(OpenLog(folder, 0)->resumes()) << "all records were cut";
}

TEST(MetricsLogTest, ResumingCutsWhatComesAfterTheCheckpoint) {
  const std::string folder = TempFolder();
  WriteSteps(*OpenLog(folder, 0), 1, 9);
  const std::string whole = ReadFile(MetricsPath(folder)).value();
  // Killed while it wrote the last line.
  ASSERT_TRUE(WriteFileAtomically(MetricsPath(folder),
                                  whole.substr(0, whole.size() - 7))
                  .ok());
  {
    CaptureStderr();
    const auto log = OpenLog(folder, 5);
    EXPECT_EQ(GetCapturedStderr(), "");
    EXPECT_THAT(Steps(folder), ElementsAre(1, 2, 3, 4, 5));
    WriteSteps(*log, 6, 7);
  }
  EXPECT_THAT(Steps(folder), ElementsAre(1, 2, 3, 4, 5, 6, 7));
  // A file of its own for each session, in the order of time.
  EXPECT_EQ(EventFiles(folder).size(), 2u);
  OpenLog(folder, 0);
  EXPECT_THAT(Steps(folder), ElementsAre());
}

TEST(MetricsLogTest, OnlyATornLineIsCutWithoutAWord) {
  const std::string folder = TempFolder();
  WriteSteps(*OpenLog(folder, 0), 1, 3);
  const std::string whole = ReadFile(MetricsPath(folder)).value();
  ASSERT_TRUE(
      WriteFileAtomically(MetricsPath(folder), "rubbish\n" + whole).ok());
  CaptureStderr();
  OpenLog(folder, 3);
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("line 1 is cut out: not JSON"));
  EXPECT_EQ(ReadFile(MetricsPath(folder)).value(), whole);
}

TEST(MetricsLogTest, EveryEventFileIsWellFramed) {
  const std::string folder = TempFolder();
  WriteSteps(*OpenLog(folder, 0), 1, 3);
  const std::string bytes =
      ReadFile(JoinPath(folder, EventFiles(folder).at(0))).value();
  size_t records = 0;
  for (absl::string_view rest = bytes; !rest.empty(); ++records) {
    const auto length = ParseRecordHeader(rest.substr(0, kRecordHeaderBytes));
    ASSERT_TRUE(length.ok());
    const size_t size = kRecordHeaderBytes + *length + kRecordFooterBytes;
    ASSERT_TRUE(ParseRecord(rest.substr(0, size)).ok());
    rest.remove_prefix(size);
  }
  EXPECT_EQ(records, 5u);  // the version, the start, and three
}

TEST(MetricsLogTest, PicturesAreFilesToo) {
  const std::string folder = TempFolder();
  MetricsRecord record{.kind = "samples", .step = 7};
  record.images = {{"views", "the PNG", 3, 2}};
  OpenLog(folder, 0)->Write(record);
  const auto read = ReadMetrics(folder);
  ASSERT_EQ(read->at(0).images.size(), 1u);
  EXPECT_EQ(read->at(0).images[0].file, "samples/views-step-00000007.png");
  EXPECT_EQ(ReadFile(JoinPath(folder, read->at(0).images[0].file)).value(),
            "the PNG");
}

}  // namespace
}  // namespace xla_byol
