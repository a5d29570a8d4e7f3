// What a survey finds in a folder of images, TFDS shards and IDX files.

#include "xla_byol/input/survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/input/test_data.h"

namespace xla_byol::input {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// All pixels are `level`, or (level, level / 2, 0).
std::string FlatPng(int32_t width, int32_t height, bool gray, uint8_t level) {
  TestImage image{.size = {width, height}, .channels = 3, .pixels = {}};
  for (int i = 0; i < width * height; ++i) {
    image.pixels.push_back(level);
    image.pixels.push_back(gray ? level : level / 2);
    image.pixels.push_back(gray ? level : 0);
  }
  return EncodePng(image);
}

DatasetSurvey SurveyOf(const std::string& folder, SurveyOptions options = {}) {
  const auto survey = SurveyDataset(folder, options);
  EXPECT_TRUE(survey.ok()) << survey.status();
  return survey.value_or(DatasetSurvey{});
}

// Two classes, sorted as folders are; nothing else to evaluate on.
TEST(SurveyTest, HoldsOutImagesOfEveryClass) {
  const std::string folder = TestFolder("survey_classes");
  for (int i = 0; i < 40; ++i) {
    WriteTestFile(absl::StrCat(folder, i < 20 ? "/cats/" : "/dogs/", i, ".png"),
                  FlatPng(30, 20, false, i % 2 == 0 ? 0 : 200));
  }
  const DatasetSurvey survey = SurveyOf(folder);
  EXPECT_TRUE(survey.held_out);
  EXPECT_EQ(survey.train_images, 36);
  EXPECT_EQ(survey.test_images, 4);
  EXPECT_EQ(survey.classes, 2);
  EXPECT_EQ(survey.channels, 3);
  EXPECT_EQ(survey.shorter_side, 20);
  const auto train = OpenDataset(folder, survey.train_split);
  const auto test = OpenDataset(folder, survey.test_split);
  ASSERT_TRUE(train.ok() && test.ok());
  std::vector<std::string> places;
  std::vector<int> labels;
  RecordScratch scratch;
  Record record;
  for (int64_t i = 0; i < test->size(); ++i) {
    ASSERT_TRUE(test->Read(i, scratch, record).ok());
    labels.push_back(record.label);
    places.push_back(test->Locate(i));
  }
  EXPECT_THAT(labels, ElementsAre(0, 0, 1, 1));
  for (int64_t i = 0; i < train->size(); ++i) {
    places.push_back(train->Locate(i));
  }
  std::sort(places.begin(), places.end());
  EXPECT_EQ(std::unique(places.begin(), places.end()) - places.begin(), 40);
}

TEST(SurveyTest, NamesWhatIsNotRead) {
  const std::string folder = TestFolder("survey_left_out");
  const std::string image = FlatPng(8, 8, false, 100);
  for (int i = 0; i < 10; ++i) {
    WriteTestFile(absl::StrCat(folder, i < 5 ? "/cats/" : "/dogs/", i, ".png"),
                  image);
  }
  EXPECT_THAT(SurveyOf(folder).left_out, IsEmpty());
  WriteTestFile(absl::StrCat(folder, "/a.png"), image);
  WriteTestFile(absl::StrCat(folder, "/b.JPG"), image);
  WriteTestFile(absl::StrCat(folder, "/notes.txt"), "no image");
  WriteTestFile(absl::StrCat(folder, "/dogs/c.heic"), image);
  const DatasetSurvey survey = SurveyOf(folder);
  EXPECT_EQ(survey.train_images + survey.test_images, 10);
  EXPECT_EQ(survey.left_out,
            "2 images beside the folders, 1 of other formats, such as "
            "dogs/c.heic");
}

TEST(SurveyTest, OtherFormatsAloneAreNoDataSet) {
  const std::string folder = TestFolder("survey_other_formats");
  WriteTestFile(absl::StrCat(folder, "/a.webp"), "RIFF");
  EXPECT_THAT(
      SurveyDataset(folder, {}).status().message(),
      HasSubstr("//data:prepare --images converts files such as a.webp"));
}

TEST(SurveyTest, EveryNthRecordAndTheOthers) {
  const std::string folder = TestFolder("survey_every");
  for (const char* name : {"0", "1", "2", "3"}) {
    WriteTestFile(absl::StrCat(folder, "/", name, ".png"), "-");
  }
  const auto files = [&](const std::string& split) {
    const auto images = OpenDataset(folder, split);
    EXPECT_TRUE(images.ok()) << images.status();
    std::string names;
    for (int64_t i = 0; images.ok() && i < images->size(); ++i) {
      names += images->Locate(i)[folder.size() + 1];
    }
    return names;
  };
  EXPECT_EQ(files("train[::3]"), "03");
  EXPECT_EQ(files("train[!::3]"), "12");
  EXPECT_EQ(files("train[1::2]"), "13");
  EXPECT_EQ(files("train[!1::2]"), "2");
  EXPECT_EQ(files("train[::9]"), "0");
  EXPECT_THAT(
      std::string(OpenDataset(folder, "train[!:1:2]").status().message()),
      HasSubstr("has no images"));
}

TEST(SurveyTest, SplitsHaveTheSameClasses) {
  const std::string folder = TestFolder("survey_splits");
  const std::string image = FlatPng(8, 8, true, 9);
  for (const char* name : {"train/a/1", "train/b/1", "train/c/1", "test/c/1"}) {
    WriteTestFile(absl::StrCat(folder, "/", name, ".png"), image);
  }
  EXPECT_EQ(SurveyOf(folder).classes, 3);
  const auto test = OpenDataset(folder, "test");
  ASSERT_TRUE(test.ok()) << test.status();
  RecordScratch scratch;
  Record record;
  ASSERT_TRUE(test->Read(0, scratch, record).ok());
  EXPECT_EQ(record.label, 2);  // c, although a and b are not here
  EXPECT_EQ(test->info().num_classes, 3);
}

TEST(SurveyTest, MeasuresColours) {
  const std::string folder = TestFolder("survey_colours");
  for (int i = 0; i < 4; ++i) {  // of unequal size, but of one weight
    WriteTestFile(absl::StrCat(folder, "/train/", i, ".png"),
                  FlatPng(8 + i, 40, false, i % 2 == 0 ? 0 : 204));
    WriteTestFile(absl::StrCat(folder, "/test/", i, ".png"),
                  FlatPng(8, 8, false, 255));
  }
  const DatasetSurvey survey = SurveyOf(folder);
  EXPECT_FALSE(survey.held_out);
  EXPECT_EQ(survey.train_split, "train");
  EXPECT_EQ(survey.test_split, "test");
  EXPECT_EQ(survey.classes, 0);
  // Half the images are 204/255 = 0.8 in red, 0.4 in green and 0 in blue, which
  // never varies and is not divided by.
  EXPECT_THAT(survey.mean,
              ElementsAre(FloatNear(0.4f, 1e-4f), FloatNear(0.2f, 1e-4f), 0));
  EXPECT_THAT(survey.stddev,
              ElementsAre(FloatNear(0.4f, 1e-4f), FloatNear(0.2f, 1e-4f), 1));
}

TEST(SurveyTest, GrayImagesHaveOneChannel) {
  const std::string folder = TestFolder("survey_gray");
  WriteTestFile(folder + "/train-images-idx3-ubyte",
                MakeIdx({20, 2, 3}, std::string(120, 'p')));
  const DatasetSurvey idx = SurveyOf(folder);
  EXPECT_EQ(idx.channels, 1);
  EXPECT_EQ(idx.shorter_side, 2);
  EXPECT_EQ(idx.train_split, "train[!::10]");
  EXPECT_EQ(idx.test_split, "train[::10]");

  const std::string photos = TestFolder("survey_gray_photos");
  for (int i = 0; i < 12; ++i) {
    TestImage image = MakeImage(300, 200, 3, 7);
    for (size_t p = 0; p < image.pixels.size(); p += 3) {
      image.pixels[p + 1] = image.pixels[p + 2] = image.pixels[p];
    }
    WriteTestFile(absl::StrCat(photos, "/", i, ".jpg"), EncodeJpeg(image));
  }
  EXPECT_EQ(SurveyOf(photos).channels, 1);
  // One image in colour is enough for three.
  WriteTestFile(photos + "/5.jpg", EncodeJpeg(MakeImage(300, 200, 3, 8)));
  EXPECT_EQ(SurveyOf(photos).channels, 3);
}

TEST(SurveyTest, TheUsersSplitsStay) {
  const std::string folder = TestFolder("survey_tfds");
  const std::string image = FlatPng(8, 8, true, 100);
  WriteTfds(folder, {{MakeExample(image, 0), MakeExample(image, 1)},
                     {MakeExample(image, 2), MakeExample(image, 3)}});
  SurveyOptions options;
  options.train_split = "train[:2]";
  const absl::Status asks = SurveyDataset(folder, options).status();
  EXPECT_THAT(std::string(asks.message()), HasSubstr("data.test_split"));
  options.test_split = "train[2:]";
  const DatasetSurvey survey = SurveyOf(folder, options);
  EXPECT_EQ(survey.train_images, 2);
  EXPECT_EQ(survey.test_images, 2);
  EXPECT_EQ(survey.train_split, "train[:2]");
  options.sample_images = 0;
  EXPECT_THAT(SurveyOf(folder, options).mean, IsEmpty());
}

TEST(SurveyTest, BrokenImagesArePassedOver) {
  const std::string folder = TestFolder("survey_broken");
  for (int i = 0; i < 12; ++i) {
    WriteTestFile(absl::StrCat(folder, "/", 10 + i, ".png"),
                  i == 3 ? FlatPng(9, 9, true, 50) : "no image");
  }
  EXPECT_EQ(SurveyOf(folder).shorter_side, 9);
  WriteTestFile(folder + "/13.png", "no image either");
  const absl::Status all = SurveyDataset(folder, {}).status();
  EXPECT_THAT(std::string(all.message()),
              HasSubstr("none of 10 images of " + folder));
}

}  // namespace
}  // namespace xla_byol::input
