// Runs each harness over its corpus, over samples made here, and over mutations
// of both: what a fuzzer once found stays mended. tools/fuzz looks for more.

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/harness.h"
#include "tests/input/test_data.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/tfrecord.h"
#include "xla_byol/input/record_index.h"

namespace xla_byol {
namespace {

// NOLINTNEXTLINE: most formats are of the input.
using namespace input;

constexpr int kMutations = 300;  // Of each sample.

std::vector<std::string> Corpus(const std::string& name) {
  std::vector<std::string> samples;
  const std::string folder = "tests/fuzz/corpus/" + name;
  const auto names = ListDirectory(folder);
  EXPECT_TRUE(names.ok()) << names.status();
  if (!names.ok()) return samples;
  for (const std::string& file : *names) {
    samples.push_back(ReadFile(JoinPath(folder, file)).value());
  }
  EXPECT_FALSE(samples.empty()) << name;
  return samples;
}

std::vector<std::string> MadeSamples(const std::string& name) {
  if (name == "tfrecord") {
    return {FrameRecord("a"), FrameRecord("abc") + FrameRecord("second"),
            SerializeIndex({{"shard", 40, 5, {0, 19, 40}, ""}})};
  }
  if (name == "tf_example") {
    return {MakeExample("pixels", 3), MakeExample("pixels", -1, false)};
  }
  if (name == "idx") {
    const std::string plain = MakeIdx({2, 2, 2}, "abcdefgh");
    return {plain, Gzip(plain)};
  }
  if (name == "jpeg") {
    std::vector<std::string> samples;
    for (int sampling : {1, 2}) {
      for (bool progressive : {false, true}) {
        JpegOptions options;
        options.horizontal = options.vertical = sampling;
        options.progressive = progressive;
        options.restart_interval = sampling == 2 ? 1 : 0;
        samples.push_back(EncodeJpeg(MakeImage(23, 19, 3, 1), options));
      }
    }
    JpegOptions inks;
    inks.inks = true;
    samples.push_back(EncodeJpeg(MakeImage(9, 9, 4, 1), inks));
    samples.push_back(EncodeJpeg(MakeImage(9, 9, 1, 1)));
    return samples;
  }
  if (name == "png") {
    std::vector<std::string> samples;
    for (int channels : {1, 2, 3, 4}) {
      samples.push_back(EncodePng(MakeImage(11, 7, channels, 1)));
      samples.push_back(EncodePng(MakeImage(11, 7, channels, 1), true));
    }
    return samples;
  }
  return {};
}

std::string Mutate(std::string bytes, std::mt19937& random) {
  const auto below = [&](size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random);
  };
  const size_t changes = 1 + below(4);
  for (size_t i = 0; i < changes && !bytes.empty(); ++i) {
    const size_t at = below(bytes.size());
    switch (below(6)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, below(16) + 1));
        break;
      case 4:
        bytes.erase(at, below(8) + 1);
        break;
      default:
        bytes[at] = "\x00\xff\x7f\x80"[below(4)];
    }
  }
  return bytes;
}

class ReplayTest : public testing::TestWithParam<Harness> {};

TEST_P(ReplayTest, NothingHappens) {
  std::vector<std::string> samples = Corpus(GetParam().name);
  for (std::string& made : MadeSamples(GetParam().name)) {
    samples.push_back(std::move(made));
  }
  GetParam().run("");
  std::mt19937 random(1);
  for (const std::string& sample : samples) {
    GetParam().run(sample);
    for (int i = 0; i < kMutations; ++i) {
      GetParam().run(Mutate(sample, random));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, ReplayTest, testing::ValuesIn(AllHarnesses()),
                         [](const auto& one) {
                           return std::string(one.param.name);
                         });

}  // namespace
}  // namespace xla_byol
