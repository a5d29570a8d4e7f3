#include "xla_byol/reporting/feature_details_file.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_reader.h"

namespace xla_byol {
namespace {

FeatureDetails Some() {
  FeatureDetails details;
  details.class_names = {"cat", "dog \"<\""};
  details.classes = 2;
  details.confusion = {8, 2, 1, 9};
  details.map = {.x = {0, 1}, .y = {2, 3}, .labels = {0, -1}};
  details.gallery = {{{3, 0, 1}, {7, 1, 0.5f}}, {{4, 1, 1}, {8, 1, 0.25f}}};
  details.pictures.assign(4 * 6 * 6 * 3, 200);
  details.picture_size = 6;
  details.channels = 3;
  return details;
}

std::string WriteAndRead(const FeatureDetails& details) {
  const std::string folder = TempFolder();
  EXPECT_TRUE(WriteFeatureDetails(details, 12, folder).ok());
  return ReadFeatureDetails(folder);
}

TEST(FeatureDetailsFile, HoldsWhatThePageNeeds) {
  const auto value = ParseJson(WriteAndRead(Some()));
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->Find("step")->Integer(), 12);
  EXPECT_EQ(value->Find("classes")->elements[1].string, "dog \"<\"");
  EXPECT_EQ(value->Find("confusion")->elements[1].elements[0].number, 1);
  EXPECT_EQ(value->Find("map")->Find("y")->elements[1].number, 3);
  const JsonValue& gallery = *value->Find("gallery");
  EXPECT_EQ(gallery.Find("columns")->Integer(), 2);
  EXPECT_EQ(
      gallery.Find("rows")->elements[0].Find("labels")->elements[1].number, 1);
  EXPECT_TRUE(gallery.Find("picture")->string.starts_with("data:image/png"));
}

TEST(FeatureDetailsFile, LeavesOutWhatThereIsNot) {
  const auto value = ParseJson(WriteAndRead({}));
  ASSERT_TRUE(value.ok()) << value.status();
  for (const char* name : {"confusion", "map", "gallery"}) {
    EXPECT_EQ(value->Find(name), nullptr) << name;
  }
}

TEST(FeatureDetailsFile, ADamagedOrMissingFileIsNone) {
  const std::string folder = TempFolder();
  EXPECT_EQ(ReadFeatureDetails(folder), "");
  for (const char* text : {"", "{\"step\":", "[1]", "{}</script>"}) {
    ASSERT_TRUE(
        WriteFileAtomically(JoinPath(folder, "features.json"), text).ok());
    EXPECT_EQ(ReadFeatureDetails(folder), "") << text;
  }
}

}  // namespace
}  // namespace xla_byol
