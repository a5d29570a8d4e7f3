// What the loader makes of records that are broken.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/input/loader_rows.h"
#include "tests/input/test_data.h"
#include "xla_byol/base/tfrecord.h"
#include "xla_byol/input/loader.h"

namespace xla_byol::input {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// 4,000 tiny records of which the given ones are spoilt, each in its own way.
std::string SpoiltFolder(const std::string& name, const std::set<int>& bad) {
  const std::string folder = TestFolder(name);
  std::string bytes;
  std::vector<std::string> examples;
  for (int i = 0; i < 4000; ++i) {
    const std::string image =
        EncodePng(MakeImage(8, 8, 3, static_cast<uint32_t>(i)));
    const std::string good = MakeExample(image, i % 10);
    std::string record = FrameRecord(good);
    if (bad.contains(i)) {
      switch (i % 4) {
        case 0:
          record.back() = static_cast<char>(~record.back());
          break;
        case 1:
          record = FrameRecord(MakeExample("no image", 1));
          break;
        case 2:
          record = FrameRecord(MakeExample(image.substr(0, 60), 1));
          break;
        default:
          record =
              FrameRecord(MakeExample(EncodePng(MakeImage(9, 8, 3, 1)), 1));
      }
    }
    bytes += record;
    examples.push_back("");
  }
  TfdsOptions options;
  options.image_json =
      R"({"dtype": "uint8", "shape": {"dimensions": ["8", "8", "3"]}})";
  WriteTfds(folder, {examples}, options);
  WriteTestFile(ShardPath(folder, 0, 1), bytes);
  return folder;
}

TEST(LoaderFaultsTest, BadRecordsAreReplacedAndNamed) {
  const std::set<int> bad = {40, 1001, 2002, 3003};  // 0.1 %: just allowed.
  const Dataset dataset =
      OpenDataset(SpoiltFolder("replaced", bad), "train").value();
  LoaderOptions options = SmallOptions();
  options.global_batch = 500;
  std::vector<Row> expected;
  for (int threads : {1, 2, 7}) {
    options.threads = threads;
    auto loader = Loader::Create(dataset, options);
    std::vector<Row> rows;
    for (int i = 0; i < 16; ++i) {  // Two epochs.
      const auto batch = (*loader)->Next();
      ASSERT_TRUE(batch.ok()) << batch.status();
      AppendRows(**batch, rows);
    }
    if (threads == 1) expected = rows;
    EXPECT_TRUE(rows == expected) << threads;
    EXPECT_EQ((*loader)->stats().bad_records, 4);
    const std::vector<std::string> lines = (*loader)->bad_records();
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_THAT(lines[0], AllOf(HasSubstr("00000-of-00001 offset"),
                                HasSubstr("checksum")));
    EXPECT_THAT(lines[1], HasSubstr("neither JPEG nor PNG"));
    EXPECT_THAT(lines[2], HasSubstr("broken PNG"));
    EXPECT_THAT(lines[3], HasSubstr("9 x 8 pixels, not 8 x 8"));
  }
  for (const Row& row : expected) {
    EXPECT_FALSE(bad.contains(static_cast<int>(row.index)));
  }
  // A run that starts later replaces in the same way.
  options.first_step = 9;
  const std::vector<Row> tail = Stream(dataset, options, 3);
  EXPECT_TRUE(std::equal(tail.begin(), tail.end(), expected.begin() + 9 * 500));
}

TEST(LoaderFaultsTest, TooManyBadRecordsStopTheRunWithTheirList) {
  const Dataset dataset =
      OpenDataset(SpoiltFolder("too_many", {1, 2, 3, 4, 5}), "train").value();
  LoaderOptions options = SmallOptions();
  options.global_batch = 1000;
  auto loader = Loader::Create(dataset, options);
  absl::Status status;
  for (int i = 0; i < 4 && status.ok(); ++i) {
    status = (*loader)->Next().status();
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  const std::string message(status.message());
  EXPECT_THAT(message, AllOf(HasSubstr("5 of the 4000 records"),
                             HasSubstr("at most 4")));
  size_t listed = 0;
  for (size_t at = 0; (at = message.find(" offset ", at)) != std::string::npos;
       ++at) {
    ++listed;
  }
  EXPECT_EQ(listed, 5u);
  options.bad_record_budget = 0.01;
  EXPECT_EQ(Stream(dataset, options, 8).size(), 8000u);
}

// A photo that does not open is no reason to stop.
TEST(LoaderFaultsTest, SmallDataMayHaveAFewBadRecords) {
  const std::string folder = SpoiltFolder("few", {1, 2});
  LoaderOptions options = SmallOptions();
  options.global_batch = 4;
  EXPECT_EQ(
      Stream(OpenDataset(folder, "train[:8]").value(), options, 10).size(),
      40u);
  auto loader =
      Loader::Create(OpenDataset(folder, "train[:4]").value(), options);
  absl::Status status;
  for (int i = 0; i < 4 && status.ok(); ++i) {
    status = (*loader)->Next().status();
  }
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr("2 of the 4 records"), HasSubstr("at most 1 may")));
}

TEST(LoaderFaultsTest, ABadRecordIsSaidOnceByAllLoaders) {
  const std::string folder = SpoiltFolder("once", {3, 5});
  const auto said = [&](LoaderOptions::Mode mode) {
    LoaderOptions options = SmallOptions();
    options.mode = mode;
    options.views = 1;
    options.global_batch = 16;
    options.bad_record_budget = 0.2;
    ::testing::internal::CaptureStderr();
    auto loader =
        Loader::Create(OpenDataset(folder, "train[:16]").value(), options);
    EXPECT_TRUE((*loader)->Next().ok());
    EXPECT_EQ((*loader)->bad_records().size(), 2u);
    return ::testing::internal::GetCapturedStderr();
  };
  const std::string first = said(LoaderOptions::Mode::kTrain);
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 2) << first;
  EXPECT_THAT(first, HasSubstr("bad record, not used: "));
  EXPECT_EQ(said(LoaderOptions::Mode::kEvaluate), "");
  EXPECT_EQ(said(LoaderOptions::Mode::kTrain), "");
}

TEST(LoaderFaultsTest, EvaluationMasksBadRecords) {
  const Dataset dataset =
      OpenDataset(SpoiltFolder("masked", {7}), "train[:32]").value();
  LoaderOptions options = SmallOptions();
  options.mode = LoaderOptions::Mode::kEvaluate;
  options.views = 1;
  options.bad_record_budget = 0.1;
  const std::vector<Row> rows = Stream(dataset, options, 2);
  ASSERT_EQ(rows.size(), 32u);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].mask, i == 7 ? 0 : 1);
  }
}

TEST(LoaderFaultsTest, ALabelOutOfRangeStopsTheRun) {
  const std::string folder = TestFolder("bad_label");
  WriteTfds(folder, {{MakeExample(EncodePng(MakeImage(8, 8, 3, 1)), 99)}});
  auto loader =
      Loader::Create(OpenDataset(folder, "train").value(), SmallOptions());
  const absl::Status status = (*loader)->Next().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("label 99"));
}

}  // namespace
}  // namespace xla_byol::input
