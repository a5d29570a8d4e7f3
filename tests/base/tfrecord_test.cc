#include "xla_byol/base/tfrecord.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/input/test_data.h"

namespace xla_byol {
namespace {

using input::TestFolder;
using input::WriteTestFile;
using ::testing::HasSubstr;

// Computed bit by bit from the polynomial, apart from our code.
TEST(TfRecordTest, FramesAsTheFormatSays) {
  EXPECT_EQ(FrameRecord("abc"), std::string("\x03\x00\x00\x00\x00\x00\x00\x00"
                                            "\xb0\x99\x49\x0e"
                                            "\x61\x62\x63\x6e\x57\xf1\x21",
                                            19));
}

TEST(TfRecordTest, ParsesWhatItFrames) {
  for (const std::string& data :
       {std::string("abc"), std::string(), std::string(100000, 'x')}) {
    const std::string bytes = FrameRecord(data);
    EXPECT_EQ(bytes.size(), data.size() + 16);
    const auto parsed = ParseRecord(bytes);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, data);
  }
}

TEST(TfRecordTest, AnyFlippedBitIsFound) {
  const std::string bytes = FrameRecord("some data to protect");
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string broken = bytes;
    broken[bit / 8] = static_cast<char>(broken[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(ParseRecord(broken).status().code(), absl::StatusCode::kDataLoss)
        << bit;
  }
}

TEST(TfRecordTest, AnyCutIsFound) {
  const std::string bytes = FrameRecord("some data");
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(ParseRecord(bytes.substr(0, size)).status().code(),
              absl::StatusCode::kDataLoss);
  }
  EXPECT_FALSE(ParseRecord(bytes + "x").ok());
}

TEST(RandomAccessFileTest, ReadsAndSaysWhatIsMissing) {
  const std::string path = TestFolder("random_access") + "/file";
  WriteTestFile(path, "0123456789");
  const auto file = RandomAccessFile::Open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->size(), 10u);
  std::string out(4, ' ');
  ASSERT_TRUE(file->Read(3, 4, out.data()).ok());
  EXPECT_EQ(out, "3456");
  const absl::Status beyond = file->Read(8, 4, out.data());
  EXPECT_EQ(beyond.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(beyond.message()), HasSubstr("2 bytes too early"));
  EXPECT_EQ(RandomAccessFile::Open(path + "x").status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace xla_byol
