#include "xla_byol/input/tf_example.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/input/test_data.h"
#include "tests/input/tf_example.pb.h"

namespace xla_byol::input {
namespace {

std::map<std::string, std::string> Features(const std::string& example) {
  std::map<std::string, std::string> features;
  EXPECT_TRUE(VisitFeatures(example, [&](absl::string_view name,
                                         absl::string_view feature) {
                features[std::string(name)] = std::string(feature);
              }).ok());
  return features;
}

// protobuf's own serialization of the same messages is the judge.
TEST(TfExampleTest, ReadsWhatProtobufWrites) {
  tensorflow_copy::Example message;
  auto& features = *message.mutable_features()->mutable_feature();
  features["image"].mutable_bytes_list()->add_value("pixels\0\xff");
  features["label"].mutable_int64_list()->add_value(-1);
  features["large"].mutable_int64_list()->add_value(int64_t{1} << 62);
  features["many"].mutable_int64_list()->add_value(1);
  features["many"].mutable_int64_list()->add_value(300);
  features["float"].mutable_float_list()->add_value(1.5);
  features["none"].mutable_bytes_list();
  auto read = Features(message.SerializeAsString());
  EXPECT_EQ(read.size(), 6u);
  EXPECT_EQ(SingleBytes(read["image"]).value(), "pixels\0\xff");
  EXPECT_EQ(SingleInt64(read["label"]).value(), -1);
  EXPECT_EQ(SingleInt64(read["large"]).value(), int64_t{1} << 62);
  EXPECT_FALSE(SingleInt64(read["many"]).ok());
  EXPECT_FALSE(SingleInt64(read["image"]).ok());
  EXPECT_FALSE(SingleInt64(read["float"]).ok());
  EXPECT_FALSE(SingleBytes(read["none"]).ok());
  EXPECT_FALSE(SingleBytes(read["absent"]).ok());
}

TEST(TfExampleTest, ReadsPackedAndUnpacked) {
  for (bool packed : {false, true}) {
    auto read = Features(MakeExample("abc", 1234567, packed));
    EXPECT_EQ(SingleBytes(read["image"]).value(), "abc");
    EXPECT_EQ(SingleInt64(read["label"]).value(), 1234567);
  }
}

TEST(TfExampleTest, TheLastOfTwoEntriesCounts) {
  auto read =
      Features(absl::StrCat(MakeExample("first", 1), MakeExample("second", 2)));
  EXPECT_EQ(SingleBytes(read["image"]).value(), "second");
  EXPECT_EQ(SingleInt64(read["label"]).value(), 2);
}

TEST(TfExampleTest, NoCutCrashesOrPassesForWhole) {
  const std::string example = MakeExample(std::string(300, 'p'), 70000);
  for (size_t size = 1; size < example.size(); ++size) {
    EXPECT_EQ(VisitFeatures(example.substr(0, size),
                            [](absl::string_view, absl::string_view) {})
                  .code(),
              absl::StatusCode::kDataLoss)
        << size;
  }
}

TEST(TfExampleTest, HugeLengthsAreRefused) {
  const std::string huge = "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  EXPECT_FALSE(
      VisitFeatures(huge, [](absl::string_view, absl::string_view) {}).ok());
  const std::string endless(20, '\xff');
  EXPECT_FALSE(
      VisitFeatures(endless, [](absl::string_view, absl::string_view) {}).ok());
}

}  // namespace
}  // namespace xla_byol::input
