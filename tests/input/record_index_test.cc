#include "xla_byol/input/record_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "tests/input/test_data.h"
#include "xla_byol/base/files.h"

namespace xla_byol::input {
namespace {

using ::testing::HasSubstr;

std::vector<RandomAccessFile> OpenAll(const std::vector<std::string>& paths) {
  std::vector<RandomAccessFile> files;
  for (const std::string& path : paths) {
    files.push_back(RandomAccessFile::Open(path).value());
  }
  return files;
}

// Lengths around every limit of the reader's buffering.
std::vector<std::string> Records() {
  std::vector<std::string> records;
  for (size_t size : {0u, 1u, 5u, 3000u, 16384u, 16385u, 65520u, 65536u, 70000u,
                      10u, 200000u, 3u}) {
    records.push_back(std::string(size, 'r'));
  }
  for (size_t i = 0; i < 3000; ++i) records.push_back(std::string(i % 90, 's'));
  return records;
}

TEST(RecordIndexTest, FindsEveryRecord) {
  const std::string path = TestFolder("finds") + "/shard";
  std::string bytes;
  std::vector<uint64_t> offsets = {0};
  for (const std::string& record : Records()) {
    bytes += FrameRecord(record);
    offsets.push_back(bytes.size());
  }
  WriteTestFile(path, bytes);
  const auto index = IndexShard(RandomAccessFile::Open(path).value());
  ASSERT_TRUE(index.ok());
  EXPECT_EQ(index->offsets, offsets);
  EXPECT_EQ(index->broken, "");
  EXPECT_EQ(index->name, "shard");
}

TEST(RecordIndexTest, StopsWhereTheFramingBreaks) {
  const std::string folder = TestFolder("breaks");
  const std::string good = FrameRecord("first") + FrameRecord("second");
  const std::string third = FrameRecord("third");
  const struct {
    std::string tail;
    std::string words;
  } kCases[] = {{third.substr(0, 5), "within the header at byte 43"},
                {third.substr(0, 14), "within the record at byte 43"},
                {third.substr(0, 20), "within the record at byte 43"},
                {"x" + third, "checksum of the record's length at byte 43"}};
  for (const auto& one : kCases) {
    WriteTestFile(folder + "/shard", good + one.tail);
    const auto index =
        IndexShard(RandomAccessFile::Open(folder + "/shard").value());
    ASSERT_TRUE(index.ok());
    EXPECT_EQ(index->records(), 2);
    EXPECT_THAT(index->broken, HasSubstr(one.words));
  }
}

TEST(RecordIndexTest, SurvivesTheFileAndNothingElse) {
  std::vector<ShardIndex> index(2);
  index[0] = {"a", 100, 12345, {0, 20, 40, 100}, ""};
  index[1] = {"b", 50, -5, {0}, "broken at byte 0"};
  const std::string bytes = SerializeIndex(index);
  const auto parsed = ParseIndex(bytes);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, index);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    EXPECT_FALSE(ParseIndex(flipped).ok()) << i;
    EXPECT_FALSE(ParseIndex(bytes.substr(0, i)).ok()) << i;
  }
}

TEST(RecordIndexTest, IsKeptAndRenewed) {
  const std::string folder = TestFolder("kept");
  const std::vector<std::string> paths = {folder + "/s0", folder + "/s1"};
  WriteTestFile(paths[0], FrameRecord("one") + FrameRecord("two"));
  WriteTestFile(paths[1], FrameRecord("three"));
  const std::string saved = folder + "/sub/index";
  std::atomic<int64_t> calls{0};
  const IndexProgress progress = [&](int64_t done, int64_t total) {
    ++calls;
    EXPECT_LE(done, total);
    EXPECT_EQ(total, std::ssize(paths));
  };
  const auto built = LoadOrBuildIndex(OpenAll(paths), {saved}, 2, progress);
  EXPECT_EQ(calls, std::ssize(paths));
  // It is loaded the second time.
  EXPECT_TRUE(LoadOrBuildIndex(OpenAll(paths), {saved}, 2, progress).ok());
  EXPECT_EQ(calls, std::ssize(paths));
  ASSERT_TRUE(built.ok());
  EXPECT_EQ((*built)[0].records(), 2);
  ASSERT_TRUE(FileExists(saved));

  // A telltale in the saved file shows that it is what is loaded.
  auto changed = *built;
  changed[1].broken = "telltale";
  ASSERT_TRUE(WriteFileAtomically(saved, SerializeIndex(changed)).ok());
  EXPECT_EQ((*LoadOrBuildIndex(OpenAll(paths), {saved}, 2))[1].broken,
            "telltale");

  // Same size, another time: built anew.
  std::filesystem::last_write_time(
      paths[1],
      std::filesystem::last_write_time(paths[1]) + std::chrono::seconds(5));
  EXPECT_EQ((*LoadOrBuildIndex(OpenAll(paths), {saved}, 2))[1].broken, "");

  // Another size: built anew, and saved again.
  WriteTestFile(paths[1], FrameRecord("three") + FrameRecord("four"));
  EXPECT_EQ((*LoadOrBuildIndex(OpenAll(paths), {saved}, 2))[1].records(), 2);
  EXPECT_EQ(ParseIndex(ReadFile(saved).value()).value()[1].records(), 2);

  // A broken index file is no reason to fail.
  ASSERT_TRUE(WriteFileAtomically(saved, "nonsense").ok());
  EXPECT_EQ((*LoadOrBuildIndex(OpenAll(paths), {saved}, 2))[1].records(), 2);
}

TEST(RecordIndexTest, FallsBackToTheNextPlaceAndDoesWithoutAny) {
  const std::string folder = TestFolder("falls_back");
  const std::string shard = folder + "/s";
  WriteTestFile(shard, FrameRecord("one"));
  const std::string unwritable = shard + "/index";  // Below a file.
  const std::string second = folder + "/second";
  ASSERT_TRUE(LoadOrBuildIndex(OpenAll({shard}), {unwritable, second}, 1).ok());
  EXPECT_TRUE(FileExists(second));
  ASSERT_TRUE(LoadOrBuildIndex(OpenAll({shard}), {unwritable}, 1).ok());
}

}  // namespace
}  // namespace xla_byol::input
