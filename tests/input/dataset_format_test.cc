// The table of layouts: each is recognised as itself, and opened.

#include "xla_byol/input/dataset_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "tests/input/test_data.h"
#include "xla_byol/input/dataset.h"

namespace xla_byol::input {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A folder of each format with four images, by the format's name.
std::map<std::string, std::string> FormatFolders() {
  std::map<std::string, std::string> folders;
  const std::string image = EncodePng(MakeImage(4, 4, 3, 1));

  folders["TFDS"] = TestFolder("format_tfds");
  WriteTfds(folders["TFDS"], {{MakeExample(image, 0), MakeExample(image, 1)},
                              {MakeExample(image, 2), MakeExample(image, 3)}});

  folders["IDX"] = TestFolder("format_idx");
  WriteTestFile(folders["IDX"] + "/train-images-idx3-ubyte",
                MakeIdx({4, 2, 2}, std::string(16, 'p')));

  folders["image folder"] = TestFolder("format_images");
  for (const char* name : {"a", "b", "c", "d"}) {
    WriteTestFile(folders["image folder"] + "/train/" + name + ".png", image);
  }
  return folders;
}

TEST(DatasetFormatTest, EachIsRecognisedAndOpened) {
  const std::map<std::string, std::string> folders = FormatFolders();
  EXPECT_EQ(folders.size(), DatasetFormats().size());
  for (const DatasetFormat& format : DatasetFormats()) {
    SCOPED_TRACE(format.name);
    ASSERT_EQ(folders.count(format.name), 1u) << "FormatFolders() has none";
    const std::string& folder = folders.at(format.name);
    EXPECT_STREQ(FormatOf(folder).name, format.name);
    const auto splits = format.splits(folder);
    ASSERT_TRUE(splits.ok()) << splits.status();
    EXPECT_THAT(*splits, ElementsAre("train"));
    const auto dataset = OpenDataset(folder, "train");
    ASSERT_TRUE(dataset.ok()) << dataset.status();
    EXPECT_EQ(dataset->size(), 4);
    RecordScratch scratch;
    Record record;
    EXPECT_TRUE(dataset->Read(3, scratch, record).ok());
    EXPECT_TRUE(!record.encoded.empty() || record.pixels.data != nullptr);
    // A split that is not there: the sentence has one that is.
    const absl::Status wrong = OpenDataset(folder, "trian").status();
    EXPECT_THAT(std::string(wrong.message()), HasSubstr("train"));
    EXPECT_FALSE(wrong.ok());
  }
}

// A folder of nothing is no other format's.
TEST(DatasetFormatTest, TheLastRecognisesEverything) {
  const std::string empty = TestFolder("format_none");
  EXPECT_EQ(&FormatOf(empty), &DatasetFormats().back());
  EXPECT_FALSE(OpenDataset(empty, "train").ok());
}

TEST(DatasetFormatTest, FindsDebiansFashionMnist) {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) {
    GTEST_SKIP() << "Debian's dataset-fashion-mnist is not installed";
  }
  const auto dataset = OpenDataset("fashion_mnist", "train",
                                   {TestFolder("no_data_sets"), "", 1});
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_EQ(dataset->size(), 60000);
  EXPECT_EQ(dataset->info().num_classes, 10);
}

}  // namespace
}  // namespace xla_byol::input
