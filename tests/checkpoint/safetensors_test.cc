#include "xla_byol/checkpoint/safetensors.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla_byol {
namespace {

using ::testing::HasSubstr;

// A file of this header and data.
std::string File(const std::string& header, size_t data_bytes) {
  std::string file;
  for (size_t shift = 0; shift < 64; shift += 8) {
    file += static_cast<char>(uint64_t{header.size()} >> shift);
  }
  return file + header + std::string(data_bytes, 'x');
}

std::string SampleFile() {
  static const std::vector<float> floats = {1.5f, -2, 3e-30f, 4, 5, 6};
  static const std::vector<uint8_t> bytes = {7, 8, 9};
  static const std::vector<int32_t> none;
  return Safetensors({ViewOf<float>("online/w", {2, 3}, floats),
                      ViewOf<int32_t>("empty", {0, 4}, none),
                      ViewOf<uint8_t>("bytes", {3}, bytes)});
}

TEST(SafetensorsTest, ReadsBackWhatWasWritten) {
  auto read = ParseSafetensors(SampleFile(), "sample");
  ASSERT_TRUE(read.ok()) << read.status();
  const SafetensorsFile file = *std::move(read);
  ASSERT_EQ(file.tensors().size(), 3u);
  const TensorView* w = file.Find("online/w");
  ASSERT_NE(w, nullptr);
  EXPECT_EQ(w->dtype, "F32");
  EXPECT_EQ(w->dims, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(FloatsOf(*w).value(),
            (std::vector<float>{1.5f, -2, 3e-30f, 4, 5, 6}));
  EXPECT_EQ(file.Find("empty")->data.size(), 0u);
  EXPECT_EQ(file.Find("bytes")->data[2], std::byte{9});
  EXPECT_EQ(file.Find("other"), nullptr);
  EXPECT_EQ(FloatsOf(*file.Find("bytes")).status().message(),
            "tensor 'bytes' is U8, expected F32");
}

TEST(SafetensorsTest, TakesWhatOthersWrite) {
  // Metadata, tensors in another order than their data, no alignment.
  const auto file = ParseSafetensors(
      File(R"({"__metadata__":{"format":"pt"},)"
           R"("b":{"dtype":"F32","shape":[],"data_offsets":[1,5]},)"
           R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
           5),
      "x");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->tensors()[0].name, "a");
  EXPECT_EQ(FloatsOf(file->tensors()[1])->size(), 1u);
  EXPECT_EQ(file->metadata().at(0),
            std::pair(std::string("format"), std::string("pt")));
  EXPECT_TRUE(ParseSafetensors(File("{}", 0), "x").ok());
}

TEST(SafetensorsTest, AnErrorNamesFileAndTensor) {
  struct Case {
    std::string file;
    const char* error;
  };
  const Case cases[] = {
      {"", "'f': not a safetensors file: a header of 0 bytes in a file of 0"},
      {std::string(8, '\xff'), "not a safetensors file"},
      {File("{}", 0).substr(0, 9), "a header of 2 bytes in a file of 9 bytes"},
      {File("{\"a\":", 0), "'f': not JSON"},
      {File("[]", 0), "not an object"},
      {File("{}", 3), "3 bytes of data, tensors of 0 bytes"},
      {File(R"({"a":{"dtype":"F32","shape":[1]}})", 4),
       "tensor 'a' has no dtype, shape and two data_offsets"},
      {File(R"({"a":{"dtype":"F33","shape":[1],"data_offsets":[0,4]}})", 4),
       "tensor 'a' has the unknown type 'F33'"},
      {File(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4),
       "tensor 'a' has a shape"},
      {File(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4),
       "tensor 'a' is F32[2], which takes 8 bytes; its data_offsets are [0,4) "
       "of 4 bytes of data"},
      {File(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4),
       "tensor 'a' is F32[2]"},
      {File(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],)"
            R"("data_offsets":[0,0]}})",
            0),
       "takes too many bytes"},
      {File(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
            R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
            3),
       "tensor 'b' begins at 1 of the data, where 2 is next"},
      {File(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2),
       "tensor 'a' begins at 1 of the data, where 0 is next"},
  };
  for (const Case& one : cases) {
    const auto file = ParseSafetensors(one.file, "f");
    ASSERT_FALSE(file.ok()) << one.error;
    EXPECT_TRUE(absl::IsDataLoss(file.status()));
    EXPECT_THAT(std::string(file.status().message()), HasSubstr(one.error));
  }
}

TEST(SafetensorsTest, NoPrefixOfAFileIsAFile) {
  const std::string whole = SampleFile();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ParseSafetensors(whole.substr(0, size), "x").ok()) << size;
  }
}

}  // namespace
}  // namespace xla_byol
