#include "xla_byol/metrics/metrics_record.h"

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "xla_byol/base/files.h"

namespace xla_byol {
namespace {

using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

MetricsRecord Everything() {
  MetricsRecord record{.kind = "diagnostics", .step = 12, .epoch = 0.2};
  record.time = 1794816000.125;
  record.values = {{"loss", 1.0 / 3}, {"tiny", 1e-300}, {"bad", NAN}};
  record.histograms = {{"spectrum", {0, 0.5, 1}, {0.75, 0.25}}};
  record.images = {{"views", "", 28, 14, "samples/views-step-00000012.png"}};
  return record;
}

TEST(MetricsRecordTest, IsOneFlatLine) {
  EXPECT_EQ(
      ToJson(Everything()),
      R"({"kind":"diagnostics","step":12,"epoch":0.2,"time":1794816000.125,)"
      R"("loss":0.3333333333333333,"tiny":1e-300,"bad":null,)"
      R"("spectrum":{"edges":[0,0.5,1],"counts":[0.75,0.25]},)"
      R"("views":{"image":"samples/views-step-00000012.png",)"
      R"("width":28,"height":14}})");
}

TEST(MetricsRecordTest, ReadsBackExactly) {
  const auto record = ParseMetricsRecord(ToJson(Everything()));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(ToJson(*record), ToJson(Everything()));
  EXPECT_EQ(record->Value("loss"), 1.0 / 3);
  EXPECT_TRUE(std::isnan(record->Value("bad")));
  EXPECT_TRUE(std::isnan(record->Value("not there")));
  EXPECT_EQ(record->histograms[0].edges, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(record->images[0].width, 28);
}

TEST(MetricsRecordTest, RefusesWhatIsNoRecord) {
  struct Case {
    const char* line;
    const char* error;
  };
  const Case cases[] = {
      {"", "not JSON"},
      {"[]", "not an object"},
      {R"({"step":1})", "\"kind\" is missing"},
      {R"({"kind":3,"step":1})", "\"kind\" is no text"},
      {R"({"kind":"train"})", "\"step\" is missing"},
      {R"({"kind":"train","step":-1})", "\"step\" is no count"},
      {R"({"kind":"train","step":1.5})", "\"step\" is no count"},
      {R"({"kind":"train","step":1,"time":null})", "\"time\" is no number"},
      {R"({"kind":"train","step":1,"a":"b"})", "\"a\" is neither"},
      {R"({"kind":"train","step":1,"h":{"edges":[0,1],"counts":[1,2]}})",
       "\"h\" is no histogram"},
      {R"({"kind":"train","step":1,"i":{"image":"x","width":0,"height":1}})",
       "\"i\" is no image"},
  };
  for (const Case& one : cases) {
    const auto record = ParseMetricsRecord(one.line);
    ASSERT_FALSE(record.ok()) << one.line;
    EXPECT_THAT(std::string(record.status().message()), HasSubstr(one.error));
  }
}

TEST(MetricsRecordTest, ATornLineDoesNotCountAndABrokenOneIsNamed) {
  const std::string folder = TempFolder();
  EXPECT_TRUE(absl::IsNotFound(ReadMetrics(folder).status()));
  const std::string good = ToJson(Everything()) + "\n";
  ASSERT_TRUE(
      WriteFileAtomically(MetricsPath(folder), good + good + "{\"ki").ok());
  CaptureStderr();
  EXPECT_EQ(ReadMetrics(folder)->size(), 2u);
  EXPECT_EQ(GetCapturedStderr(), "");
  ASSERT_TRUE(
      WriteFileAtomically(MetricsPath(folder), good + "{\"ki\n" + good).ok());
  CaptureStderr();
  EXPECT_EQ(ReadMetrics(folder)->size(), 2u);
  EXPECT_THAT(GetCapturedStderr(),
              HasSubstr("1 of 3 lines are left out; line 2 is not JSON"));
}

}  // namespace
}  // namespace xla_byol
