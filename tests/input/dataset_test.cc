#include "xla_byol/input/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/input/test_data.h"
#include "xla_byol/base/tfrecord.h"
#include "xla_byol/input/dataset_info.h"
#include "xla_byol/input/idx.h"
#include "xla_byol/input/split.h"

namespace xla_byol::input {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Message(const absl::Status& status) {
  return std::string(status.message());
}

struct ReadResult {
  absl::Status status;
  std::string encoded;
  int32_t label;
};

ReadResult Read(const Dataset& dataset, int64_t index) {
  RecordScratch scratch;
  Record record;
  const absl::Status status = dataset.Read(index, scratch, record);
  return {status, std::string(record.encoded), record.label};
}

// Four records in two shards of 3 and 1; images are just marks here.
std::string FourRecords(const std::string& folder,
                        const TfdsOptions& options = {}) {
  WriteTfds(folder,
            {{MakeExample("image0", 0), MakeExample("image1", 1),
              MakeExample("image2", 2)},
             {MakeExample("image3", 3)}},
            options);
  return folder;
}

TEST(DatasetTest, ReadsATfdsDirectory) {
  const std::string folder = FourRecords(TestFolder("tfds"));
  const auto dataset = OpenDataset(folder, "train");
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_EQ(dataset->size(), 4);
  EXPECT_EQ(dataset->info().num_classes, 10);
  EXPECT_TRUE(dataset->info().has_labels);
  EXPECT_EQ(dataset->info().channels, 3);
  for (int i = 0; i < 4; ++i) {
    const ReadResult record = Read(*dataset, i);
    ASSERT_TRUE(record.status.ok()) << record.status;
    EXPECT_EQ(record.encoded, absl::StrCat("image", i));
    EXPECT_EQ(record.label, i);
  }
  EXPECT_THAT(dataset->Locate(0), HasSubstr("00000-of-00002 offset 0"));
  EXPECT_THAT(dataset->Locate(3), HasSubstr("00001-of-00002 offset 0"));
}

TEST(DatasetTest, FindsNamesAndVersions) {
  const std::string root = TestFolder("names");
  TfdsOptions options;
  FourRecords(root + "/blobs/1.9.0", options);
  WriteTfds(root + "/blobs/1.10.0", {{MakeExample("new", 1)}}, options);
  FourRecords(root + "/spots/large/2.0.0", options);
  const OpenOptions open = {root, "", 1};
  EXPECT_EQ(OpenDataset("blobs", "train", open)->size(), 1);
  EXPECT_EQ(OpenDataset("blobs:1.9.0", "train", open)->size(), 4);
  EXPECT_EQ(OpenDataset("blobs:1.*.*", "train", open)->size(), 1);
  EXPECT_EQ(OpenDataset("spots/large", "train", open)->size(), 4);
  EXPECT_EQ(OpenDataset(root + "/blobs", "train", open)->size(), 1);
  EXPECT_THAT(Message(OpenDataset("blobz", "train", open).status()),
              AllOf(HasSubstr("\"blobz\""), HasSubstr("\"blobs\"")));
  EXPECT_THAT(Message(OpenDataset("spots/lage", "train", open).status()),
              HasSubstr("\"spots/large\""));
  EXPECT_THAT(Message(OpenDataset("blobs:3.0.0", "train", open).status()),
              AllOf(HasSubstr("3.0.0"), HasSubstr("1.10.0")));
  EXPECT_THAT(Message(OpenDataset("blobs", "trian", open).status()),
              AllOf(HasSubstr("\"trian\""), HasSubstr("\"train\"")));
  EXPECT_THAT(Message(OpenDataset("/no/such/folder", "train", open).status()),
              HasSubstr("/no/such/folder is not a folder"));
}

TEST(DatasetTest, SlicesAndSums) {
  const std::string folder = FourRecords(TestFolder("slices"));
  const auto tail = OpenDataset(folder, "train[1:]");
  ASSERT_TRUE(tail.ok()) << tail.status();
  EXPECT_EQ(tail->size(), 3);
  EXPECT_EQ(Read(*tail, 0).encoded, "image1");
  EXPECT_THAT(tail->Locate(2), HasSubstr("00001-of-00002 offset 0"));
  const auto sum = OpenDataset(folder, "train[-1:]+train[:50%]");
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(sum->size(), 3);
  EXPECT_EQ(Read(*sum, 0).encoded, "image3");
  EXPECT_EQ(Read(*sum, 1).encoded, "image0");
  EXPECT_EQ(Read(*sum, 2).encoded, "image1");
  EXPECT_THAT(Message(OpenDataset(folder, "train[2:9]").status()),
              HasSubstr("records 2 to 9"));
  for (const char* bad :
       {"", "train[", "train[1]", "train[a:]", "train[:101%]", "+train",
        "train[1:2:1]", "train[::x]", "train[!1:]", "train[!]"}) {
    EXPECT_THAT(Message(OpenDataset(folder, bad).status()),
                HasSubstr("is not understood"))
        << bad;
  }
}

TEST(SplitTest, PercentagesRoundToTheNearestRecord) {
  const auto part = ParseSplit("train[33%:66%]");
  ASSERT_TRUE(part.ok());
  const auto range = SplitRange((*part)[0], 1001);
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(range->first, 330);   // 330.33
  EXPECT_EQ(range->second, 661);  // 660.66
}

TEST(DatasetTest, EachFaultIsOneSentence) {
  std::string folder = FourRecords(TestFolder("missing_shard"));
  std::filesystem::remove(ShardPath(folder, 1, 2));
  EXPECT_THAT(
      Message(OpenDataset(folder, "train").status()),
      AllOf(HasSubstr("lacks shard blobs-train.tfrecord-00001-of-00002"),
            HasSubstr("2 of 2")));

  folder = FourRecords(TestFolder("more_records"));
  WriteTestFile(ShardPath(folder, 1, 2), FrameRecord(MakeExample("a", 1)) +
                                             FrameRecord(MakeExample("b", 1)));
  EXPECT_THAT(Message(OpenDataset(folder, "train").status()),
              AllOf(HasSubstr("has 2 records"), HasSubstr("says 1")));

  folder = FourRecords(TestFolder("fewer_records"));
  WriteTestFile(ShardPath(folder, 1, 2), "");
  EXPECT_THAT(Message(OpenDataset(folder, "train").status()),
              AllOf(HasSubstr("has 0 records"), HasSubstr("says 1")));

  folder = TestFolder("empty");
  WriteTfds(folder, {{}});
  EXPECT_THAT(Message(OpenDataset(folder, "train").status()),
              HasSubstr("has no records"));

  folder = TestFolder("label");
  WriteTfds(folder, {{MakeExample("a", 9), MakeExample("b", 10),
                      MakeExample("c", -1), MakeExample("d", -2)}});
  const auto labels = OpenDataset(folder, "train");
  ASSERT_TRUE(labels.ok());
  EXPECT_TRUE(Read(*labels, 0).status.ok());
  const absl::Status high = Read(*labels, 1).status;
  EXPECT_EQ(high.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(high), AllOf(HasSubstr("label 10"), HasSubstr("offset"),
                                   HasSubstr("10 classes")));
  EXPECT_EQ(Read(*labels, 2).label, kNoLabel);  // TFDS: no label known.
  EXPECT_EQ(Read(*labels, 3).status.code(), absl::StatusCode::kInvalidArgument);

  folder = TestFolder("format");
  TfdsOptions options;
  options.file_format = "array_record";
  FourRecords(folder, options);
  EXPECT_THAT(
      Message(OpenDataset(folder, "train").status()),
      AllOf(HasSubstr("array_record"), HasSubstr("--file_format=tfrecord")));

  folder = TestFolder("not_json");
  WriteTestFile(folder + "/dataset_info.json", "[1, 2");
  EXPECT_THAT(Message(OpenDataset(folder, "train").status()),
              HasSubstr("dataset_info.json"));

  folder = TestFolder("nothing");
  WriteTestFile(folder + "/readme.txt", "hello");
  EXPECT_THAT(Message(OpenDataset(folder, "train").status()),
              HasSubstr("holds no data set"));

  options = {};
  options.image_json = R"({"dtype": "float32"})";
  folder = FourRecords(TestFolder("dtype"), options);
  EXPECT_THAT(Message(OpenDataset(folder, "train").status()),
              HasSubstr("float32"));
}

TEST(DatasetTest, BadRecordsAreDataLoss) {
  const std::string folder = TestFolder("bad");
  const std::string good = FrameRecord(MakeExample("image", 1));
  std::string flipped = good;
  flipped[good.size() - 6] = static_cast<char>(~flipped[good.size() - 6]);
  WriteTfds(folder, {{"", "", "", "", ""}});
  WriteTestFile(ShardPath(folder, 0, 1),
                good + flipped + FrameRecord("not an example") +
                    FrameRecord(MakeExample("x", std::nullopt).substr(0, 0)) +
                    good.substr(0, good.size() - 3));
  const auto dataset = OpenDataset(folder, "train");
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_TRUE(Read(*dataset, 0).status.ok());
  const char* const kWords[] = {"", "checksum", "tf.Example",
                                "no feature \"image\"", "ends within"};
  for (int i = 1; i < 5; ++i) {
    const absl::Status status = Read(*dataset, i).status;
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << i;
    EXPECT_THAT(Message(status), HasSubstr(kWords[i])) << i;
  }
  EXPECT_THAT(dataset->Locate(1),
              HasSubstr(absl::StrCat("offset ", good.size())));
}

TEST(DatasetTest, UnlabeledAndOldTfdsDirectories) {
  std::string folder = FourRecords(TestFolder("unlabeled"));
  WriteTestFile(
      folder + "/features.json",
      R"({"featuresDict": {"features": {"picture": {"image": {}}}}})");
  WriteTfds(folder + "x", {{"unused"}});
  auto dataset = OpenDataset(folder, "train");
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_FALSE(dataset->info().has_labels);
  // The feature is named otherwise than in these records.
  EXPECT_THAT(Message(Read(*dataset, 0).status),
              HasSubstr("no feature \"picture\""));

  std::filesystem::remove(folder + "/features.json");
  dataset = OpenDataset(folder, "train");
  ASSERT_TRUE(dataset.ok());
  EXPECT_EQ(Read(*dataset, 2).encoded, "image2");
  EXPECT_EQ(Read(*dataset, 2).label, 2);
}

TEST(DatasetInfoTest, FillsTemplatesAndRefusesEscapes) {
  const auto info = ParseDatasetInfo(R"({
    "name": "d", "splits": [
      {"name": "a", "shardLengths": ["3", "4"],
       "filepathTemplate": "{SPLIT}.{SHARD_INDEX}of{NUM_SHARDS}.{FILEFORMAT}"},
      {"name": "b", "shardLengths": ["1"]},
      {"name": "c", "shardLengths": ["1"], "filepathTemplate": "../{SPLIT}"},
      {"name": "e", "shardLengths": ["1"], "filepathTemplate": "{WHAT}"}]})");
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_THAT(
      *ShardNames(*info, info->splits[0]),
      ElementsAre("a.00000of00002.tfrecord", "a.00001of00002.tfrecord"));
  EXPECT_THAT(*ShardNames(*info, info->splits[1]),
              ElementsAre("d-b.tfrecord-00000-of-00001"));
  EXPECT_FALSE(ShardNames(*info, info->splits[2]).ok());
  EXPECT_FALSE(ShardNames(*info, info->splits[3]).ok());
}

TEST(DatasetInfoTest, ReadsSizesAndLabelNames) {
  TfdsOptions options;
  options.image_json =
      R"({"dtype": "uint8", "shape": {"dimensions": ["28", "32", "1"]}})";
  options.num_classes = 2;
  const std::string folder = FourRecords(TestFolder("label_names"), options);
  WriteTestFile(folder + "/label.labels.txt", "cat\ndog\n");
  const auto dataset = OpenDataset(folder, "train");
  ASSERT_TRUE(dataset.ok());
  EXPECT_THAT(dataset->info().label_names, ElementsAre("cat", "dog"));
  EXPECT_EQ(dataset->info().image_size, (ImageSize{32, 28}));
  EXPECT_EQ(dataset->info().channels, 1);
}

TEST(IdxTest, ReadsPlainAndGzippedFiles) {
  const std::string folder = TestFolder("idx");
  std::string pixels;
  for (int i = 0; i < 2 * 3 * 4; ++i) pixels.push_back(static_cast<char>(i));
  WriteTestFile(folder + "/train-images-idx3-ubyte.gz",
                Gzip(MakeIdx({2, 3, 4}, pixels)));
  WriteTestFile(folder + "/train-labels-idx1-ubyte",
                MakeIdx({2}, std::string("\x07\x01", 2)));
  WriteTestFile(folder + "/t10k-images-idx3-ubyte", MakeIdx({2, 3, 4}, pixels));
  const auto train = OpenDataset(folder, "train");
  ASSERT_TRUE(train.ok()) << train.status();
  EXPECT_EQ(train->size(), 2);
  EXPECT_EQ(train->info().num_classes, 8);
  EXPECT_EQ(train->info().image_size, (ImageSize{4, 3}));
  RecordScratch scratch;
  Record record;
  ASSERT_TRUE(train->Read(1, scratch, record).ok());
  EXPECT_EQ(record.label, 1);
  EXPECT_EQ(record.pixels.data[0], 12);
  EXPECT_EQ(record.pixels.channels, 1);
  const auto test = OpenDataset(folder, "test");
  ASSERT_TRUE(test.ok());
  EXPECT_FALSE(test->info().has_labels);
  EXPECT_THAT(Message(OpenDataset(folder, "tset").status()),
              HasSubstr("\"test\""));
  WriteTestFile(folder + "/t10k-labels-idx1-ubyte", MakeIdx({1}, "a"));
  EXPECT_THAT(Message(OpenDataset(folder, "test").status()),
              HasSubstr("1 labels for 2 images"));
}

TEST(IdxTest, RefusesWhatIsNotIdx) {
  const std::string good = MakeIdx({2, 2}, "abcd");
  EXPECT_TRUE(ParseIdx(good).ok());
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(ParseIdx(good.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(ParseIdx(good + "e").ok());
  const std::string gzipped = Gzip(good);
  EXPECT_TRUE(ParseIdx(gzipped).ok());
  EXPECT_FALSE(ParseIdx(gzipped.substr(0, gzipped.size() - 9)).ok());
  EXPECT_FALSE(
      ParseIdx(MakeIdx({0xffffffff, 0xffffffff, 0xffffffff}, "abc")).ok());
}

TEST(ImageFolderTest, ReadsClassesSplitsAndFlatFolders) {
  const std::string root = TestFolder("folder");
  WriteTestFile(root + "/train/dog/b.JPG", "dog b");
  WriteTestFile(root + "/train/dog/a.jpeg", "dog a");
  WriteTestFile(root + "/train/cat/c.png", "cat c");
  WriteTestFile(root + "/train/cat/notes.txt", "not an image");
  WriteTestFile(root + "/train/empty/notes.txt", "no class");
  WriteTestFile(root + "/test/dog/d.jpg", "dog d");
  const auto train = OpenDataset(root, "train");
  ASSERT_TRUE(train.ok()) << train.status();
  EXPECT_THAT(train->info().label_names, ElementsAre("cat", "dog"));
  ASSERT_EQ(train->size(), 3);
  EXPECT_EQ(Read(*train, 0).encoded, "cat c");
  EXPECT_EQ(Read(*train, 1).encoded, "dog a");
  EXPECT_EQ(Read(*train, 2).encoded, "dog b");
  EXPECT_EQ(Read(*train, 2).label, 1);
  EXPECT_EQ(OpenDataset(root, "test")->size(), 1);
  EXPECT_THAT(Message(OpenDataset(root, "validation").status()),
              HasSubstr("no split \"validation\""));

  const auto whole = OpenDataset(root + "/train", "train");
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->size(), 3);
  const auto flat = OpenDataset(root + "/train/dog", "train");
  ASSERT_TRUE(flat.ok());
  EXPECT_FALSE(flat->info().has_labels);
  EXPECT_EQ(Read(*flat, 0).label, kNoLabel);
  std::filesystem::remove(root + "/train/dog/a.jpeg");
  EXPECT_EQ(Read(*flat, 0).status.code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace xla_byol::input
