#include "xla_byol/input/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/input/loader_rows.h"
#include "tests/input/test_data.h"
#include "xla_byol/input/resize.h"

namespace xla_byol::input {
namespace {

using ::testing::HasSubstr;

// Forty records of varied sizes and kinds in three shards.
Dataset MixedDataset(const std::string& name) {
  const std::string folder = TestFolder(name);
  std::vector<std::vector<std::string>> shards(3);
  for (int i = 0; i < 40; ++i) {
    const TestImage image =
        MakeImage(60 + 7 * (i % 9), 50 + 5 * (i % 7), i % 5 == 0 ? 1 : 3,
                  static_cast<uint32_t>(i));
    JpegOptions jpeg;
    jpeg.horizontal = 1 + i % 2;
    jpeg.vertical = 1 + i / 2 % 2;
    jpeg.progressive = i % 11 == 3;
    const std::string bytes = i % 4 == 3 || image.channels == 1
                                  ? EncodePng(image)
                                  : EncodeJpeg(image, jpeg);
    shards[static_cast<size_t>(i / 15)].push_back(MakeExample(bytes, i % 10));
  }
  WriteTfds(folder, shards);
  return OpenDataset(folder, "train").value();
}

TEST(LoaderTest, TheStreamIsTheSameForAnyThreads) {
  const Dataset dataset = MixedDataset("threads");
  LoaderOptions options = SmallOptions();
  options.threads = 1;
  const std::vector<Row> expected = Stream(dataset, options, 12);
  for (int threads : {2, 7}) {
    options.threads = threads;
    EXPECT_TRUE(Stream(dataset, options, 12) == expected) << threads;
  }
  // The cache must not show either, nor that it is too small for all.
  options.cache_bytes = 64 << 20;
  EXPECT_TRUE(Stream(dataset, options, 12) == expected);
  options.cache_bytes = 5 << 20;
  EXPECT_TRUE(Stream(dataset, options, 12) == expected);
  options.prefetch_batches = 9;
  EXPECT_TRUE(Stream(dataset, options, 12) == expected);
  options.seed = 6;
  EXPECT_FALSE(Stream(dataset, options, 12) == expected);
}

TEST(LoaderTest, TheStreamIsTheSameForAnyDevices) {
  const Dataset dataset = MixedDataset("devices");
  LoaderOptions options = SmallOptions();
  const std::vector<Row> expected = Stream(dataset, options, 8);
  for (int devices : {2, 8}) {
    options.devices = devices;
    EXPECT_TRUE(Stream(dataset, options, 8) == expected) << devices;
  }
}

TEST(LoaderTest, ProcessesShareTheSameStream) {
  const Dataset dataset = MixedDataset("processes");
  LoaderOptions options = SmallOptions();
  const std::vector<Row> expected = Stream(dataset, options, 6);
  options.process_count = 4;
  options.devices = 2;
  for (int process = 0; process < 4; ++process) {
    options.process_index = process;
    const std::vector<Row> part = Stream(dataset, options, 6);
    ASSERT_EQ(part.size(), 6u * 4);
    for (size_t i = 0; i < part.size(); ++i) {
      const size_t global =
          i / 4 * 16 + static_cast<size_t>(process) * 4 + i % 4;
      EXPECT_TRUE(part[i] == expected[global]) << process << " " << i;
    }
  }
}

TEST(LoaderTest, TheStreamContinuesFromEveryStep) {
  const Dataset dataset = MixedDataset("resume");
  LoaderOptions options = SmallOptions();
  constexpr int kBatches = 25;  // Ten epochs: 40 records, 16 a batch.
  const std::vector<Row> expected = Stream(dataset, options, kBatches);
  for (int start = 0; start < kBatches; ++start) {
    options.first_step = start;
    options.threads = 1 + start % 3;
    const std::vector<Row> tail = Stream(dataset, options, 2);
    const size_t begin = static_cast<size_t>(start) * 16;
    for (size_t i = 0; i < tail.size() && begin + i < expected.size(); ++i) {
      ASSERT_TRUE(tail[i] == expected[begin + i]) << start << " " << i;
    }
  }
  // Far away, too: the position costs nothing.
  options.first_step = int64_t{1} << 40;
  EXPECT_EQ(Stream(dataset, options, 1).size(), 16u);
}

TEST(LoaderTest, EveryEpochShowsEveryRecordOnce) {
  const Dataset dataset = MixedDataset("epochs");
  const std::vector<Row> rows = Stream(dataset, SmallOptions(), 5);
  ASSERT_EQ(rows.size(), 80u);
  std::vector<int64_t> orders[2];
  for (size_t epoch = 0; epoch < 2; ++epoch) {
    std::set<int64_t> seen;
    for (size_t i = 0; i < 40; ++i) {
      const Row& row = rows[epoch * 40 + i];
      seen.insert(row.index);
      orders[epoch].push_back(row.index);
      EXPECT_EQ(row.label, row.index % 10);
      EXPECT_EQ(row.mask, 1);
    }
    EXPECT_EQ(seen.size(), 40u);
  }
  EXPECT_NE(orders[0], orders[1]);
}

// Pixels, made anew by the plainest means: whole decode, cut out, plain resize.
TEST(LoaderTest, ViewsAreTheCropsTheyClaimToBe) {
  const std::string folder = TestFolder("pixels");
  std::vector<std::string> examples;
  std::vector<TestImage> images;
  for (int i = 0; i < 6; ++i) {
    JpegOptions jpeg;
    jpeg.horizontal = jpeg.vertical = 1 + i % 2;
    const std::string bytes = EncodeJpeg(
        MakeImage(150 + i, 140 - i, 3, static_cast<uint32_t>(i)), jpeg);
    images.push_back(DecodeWholeJpeg(bytes, 3));
    examples.push_back(MakeExample(bytes, 0));
  }
  WriteTfds(folder, {examples});
  LoaderOptions options = SmallOptions();
  options.scaled_decoding = false;
  auto loader = Loader::Create(OpenDataset(folder, "train").value(), options);
  ASSERT_TRUE(loader.ok());
  bool flipped = false;
  for (int step = 0; step < 3; ++step) {
    const auto batch = (*loader)->Next();
    ASSERT_TRUE(batch.ok());
    for (size_t row = 0; row < 16; ++row) {
      const TestImage& image =
          images[static_cast<size_t>((*batch)->indices[row])];
      for (int view = 0; view < 2; ++view) {
        const CropTrace& trace =
            (*batch)->crops[static_cast<size_t>(view) * 16 + row];
        TestImage cut = {{trace.crop.width, trace.crop.height}, 3, {}};
        for (int y = 0; y < trace.crop.height; ++y) {
          const uint8_t* from = image.at(trace.crop.x, trace.crop.y + y);
          cut.pixels.insert(cut.pixels.end(), from,
                            from + trace.crop.width * 3);
        }
        std::vector<uint8_t> expected(24 * 24 * 3);
        Resizer(internal::PlainKernels())
            .Resize(cut.view(),
                    {0, 0, static_cast<double>(trace.crop.width),
                     static_cast<double>(trace.crop.height)},
                    {24, 24}, trace.flip != 0, expected.data());
        const uint8_t* made = (*batch)->pixels(view, 0) + row * expected.size();
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), made));
        flipped = flipped || trace.flip != 0;
      }
    }
  }
  EXPECT_TRUE(flipped);
}

TEST(LoaderTest, ScaledDecodingIsCloseToWholeDecoding) {
  const std::string folder = TestFolder("scaled");
  // Smooth, so that aliasing does not matter.
  TestImage image = MakeImage(400, 400, 3, 1);
  for (int y = 0; y < 400; ++y) {
    for (int x = 0; x < 400; ++x) {
      for (int c = 0; c < 3; ++c) {
        image.pixels[static_cast<size_t>((y * 400 + x) * 3 + c)] =
            static_cast<uint8_t>(128 + 100 * std::sin(x * 0.02 + c) *
                                           std::cos(y * 0.015));
      }
    }
  }
  WriteTfds(folder, {{MakeExample(EncodeJpeg(image), 0)}});
  const Dataset dataset = OpenDataset(folder, "train").value();
  LoaderOptions options = SmallOptions();
  std::vector<uint8_t> pixels[2];
  for (size_t scaled = 0; scaled < 2; ++scaled) {
    options.scaled_decoding = scaled == 1;
    auto loader = Loader::Create(dataset, options);
    const auto batch = (*loader)->Next();
    ASSERT_TRUE(batch.ok());
    const uint8_t* begin = (*batch)->pixels(0, 0);
    pixels[scaled].assign(begin, begin + 16 * 24 * 24 * 3);
  }
  EXPECT_NE(pixels[0], pixels[1]);
  double difference = 0;
  for (size_t i = 0; i < pixels[0].size(); ++i) {
    difference += std::abs(pixels[0][i] - pixels[1][i]);
  }
  // A window misplaced by half a pixel of the whole image would cost more.
  EXPECT_LT(difference / static_cast<double>(pixels[0].size()), 1.0);
}

TEST(LoaderTest, EvaluationIsInOrderAndMasked) {
  const Dataset dataset = MixedDataset("evaluation");
  LoaderOptions options = SmallOptions();
  options.mode = LoaderOptions::Mode::kEvaluate;
  options.views = 1;
  options.devices = 2;
  auto loader = Loader::Create(dataset, options);
  ASSERT_TRUE(loader.ok());
  EXPECT_EQ((*loader)->evaluation_batches(), 3);
  std::vector<Row> rows;
  for (int i = 0; i < 3; ++i) {
    const auto batch = (*loader)->Next();
    ASSERT_TRUE(batch.ok());
    AppendRows(**batch, rows);
  }
  EXPECT_EQ((*loader)->Next().status().code(), absl::StatusCode::kOutOfRange);
  ASSERT_EQ(rows.size(), 48u);
  for (size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(rows[i].index, static_cast<int64_t>(i));
    EXPECT_EQ(rows[i].label, static_cast<int32_t>(i % 10));
    EXPECT_EQ(rows[i].mask, 1);
    EXPECT_EQ(rows[i].crops[0].crop,
              CenterCrop(60 + 7 * (static_cast<int>(i) % 9),
                         50 + 5 * (static_cast<int>(i) % 7), 224.0 / 256));
  }
  for (size_t i = 40; i < 48; ++i) {
    EXPECT_EQ(rows[i].index, -1);
    EXPECT_EQ(rows[i].label, kNoLabel);
    EXPECT_EQ(rows[i].mask, 0);
  }
}

TEST(LoaderTest, GreyDataGivesThreeChannelsOrOne) {
  const std::string folder = TestFolder("grey");
  const TestImage image = MakeImage(28, 28, 1, 3);
  WriteTestFile(folder + "/train-images-idx3-ubyte",
                MakeIdx({1, 28, 28},
                        absl::string_view(
                            reinterpret_cast<const char*>(image.pixels.data()),
                            image.pixels.size())));
  const Dataset dataset = OpenDataset(folder, "train").value();
  LoaderOptions options = SmallOptions();
  options.mode = LoaderOptions::Mode::kEvaluate;
  options.views = 1;
  options.global_batch = 1;
  options.image_size = 28;
  options.center_crop_share = 1;
  for (int channels : {1, 3}) {
    options.channels = channels;
    auto loader = Loader::Create(dataset, options);
    const auto batch = (*loader)->Next();
    ASSERT_TRUE(batch.ok());
    for (int i = 0; i < 28 * 28 * channels; ++i) {
      ASSERT_EQ((*batch)->pixels(0, 0)[i],
                image.pixels[static_cast<size_t>(i / channels)]);
    }
  }
}

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0;
  int64_t resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

TEST(LoaderTest, MemoryStaysFlat) {
  const Dataset dataset = MixedDataset("memory");
  auto loader = Loader::Create(dataset, SmallOptions());
  ASSERT_TRUE(loader.ok());
  const auto run = [&](int batches) {
    for (int i = 0; i < batches; ++i) ASSERT_TRUE((*loader)->Next().ok());
  };
  run(50);  // Twenty epochs: every buffer has its final size.
  const int64_t before = ResidentBytes();
  run(250);
  // A leak of one image (7 kB) a row would be 28 MB.
  EXPECT_LT(ResidentBytes() - before, 2 << 20);
}

TEST(LoaderTest, StatisticsAddUp) {
  const Dataset dataset = MixedDataset("statistics");
  LoaderOptions options = SmallOptions();
  options.cache_bytes = 64 << 20;
  auto loader = Loader::Create(dataset, options);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE((*loader)->Next().ok());
  const LoaderStats stats = (*loader)->stats();
  EXPECT_GE(stats.images, 160);
  EXPECT_LE(stats.images, 16 * 13);
  EXPECT_GE(stats.cache_hits, 100);  // All but the first epoch of 40.
  EXPECT_GT(stats.read_s, 0);
  EXPECT_GT(stats.make_s, 0);
  EXPECT_EQ(stats.bad_records, 0);
}

TEST(LoaderTest, OptionsThatDoNotFitAreNamed) {
  const Dataset dataset = MixedDataset("options");
  const auto message = [&](auto change) {
    LoaderOptions options = SmallOptions();
    change(options);
    return std::string(Loader::Create(dataset, options).status().message());
  };
  EXPECT_THAT(message([](LoaderOptions& o) { o.devices = 3; }),
              HasSubstr("a global batch of 16 cannot be shared by 1 processes "
                        "of 3 devices"));
  EXPECT_THAT(message([](LoaderOptions& o) { o.process_index = 1; }),
              HasSubstr("process 1 of 1"));
  EXPECT_THAT(message([](LoaderOptions& o) { o.views = 3; }),
              HasSubstr("3 views"));
  EXPECT_THAT(message([](LoaderOptions& o) { o.channels = 2; }),
              HasSubstr("2 channels"));
  EXPECT_THAT(message([](LoaderOptions& o) { o.image_size = 0; }),
              HasSubstr("image_size of 0"));
  EXPECT_THAT(message([](LoaderOptions& o) { o.prefetch_batches = 1; }),
              HasSubstr("prefetch_batches 1"));
}

TEST(LoaderTest, DevicePartsAreAligned) {
  const Dataset dataset = MixedDataset("aligned");
  LoaderOptions options = SmallOptions();
  options.devices = 4;
  options.image_size = 25;  // 4 * 25 * 25 * 3 is no multiple of 64.
  auto loader = Loader::Create(dataset, options);
  const auto batch = (*loader)->Next();
  ASSERT_TRUE(batch.ok());
  for (int device = 0; device < 4; ++device) {
    for (int view = 0; view < 2; ++view) {
      EXPECT_EQ(
          reinterpret_cast<uintptr_t>((*batch)->pixels(view, device)) % 64, 0u);
      EXPECT_EQ(reinterpret_cast<uintptr_t>((*batch)->draws(view, device)) % 64,
                0u);
    }
    EXPECT_EQ(reinterpret_cast<uintptr_t>((*batch)->labels(device)) % 64, 0u);
  }
}

}  // namespace
}  // namespace xla_byol::input
