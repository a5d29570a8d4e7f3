// Small data made by the tests themselves: images, their files, data sets.

#ifndef XLA_BYOL_TESTS_INPUT_TEST_DATA_H_
#define XLA_BYOL_TESTS_INPUT_TEST_DATA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "xla_byol/input/image.h"

namespace xla_byol::input {

struct TestImage {
  ImageSize size;
  int channels = 3;
  std::vector<uint8_t> pixels;

  ImageView view() const {
    return {pixels.data(), size, channels, int64_t{size.width} * channels};
  }
  const uint8_t* at(int x, int y) const {
    return pixels.data() + (int64_t{y} * size.width + x) * channels;
  }
};

// Gradients with noise: neither flat nor free of structure. Another seed gives
// another image.
TestImage MakeImage(int32_t width, int32_t height, int channels, uint32_t seed);

struct JpegOptions {
  int quality = 90;
  // How much finer luma is sampled than chroma: 1x1 is 4:4:4, 2x2 is 4:2:0.
  int horizontal = 1;
  int vertical = 1;
  bool progressive = false;
  int restart_interval = 0;
  bool inks = false;  // CMYK of 4-channel pixels, with Adobe's marker.
};
std::string EncodeJpeg(const TestImage& image, const JpegOptions& options = {});

// What libjpeg itself makes of a whole file, by the plainest calls.
TestImage DecodeWholeJpeg(absl::string_view bytes, int channels);

std::string EncodePng(const TestImage& image, bool interlaced = false);

// A serialized tf.Example; no label if it is empty.
std::string MakeExample(absl::string_view image, std::optional<int64_t> label,
                        bool packed = true);

std::string Gzip(absl::string_view bytes);
std::string MakeIdx(const std::vector<uint32_t>& dimensions,
                    absl::string_view values);

// A new folder for this test, which nothing else uses.
std::string TestFolder(absl::string_view name);
void WriteTestFile(const std::string& path, absl::string_view bytes);

struct TfdsOptions {
  std::string name = "blobs";
  std::string split = "train";
  std::string image_json =
      R"({"dtype": "uint8", "shape": {"dimensions": ["-1", "-1", "3"]}})";
  int num_classes = 10;
  std::string file_format = "tfrecord";
};
// Writes a TFDS directory with one split of the given shards of Examples.
void WriteTfds(const std::string& directory,
               const std::vector<std::vector<std::string>>& shards,
               const TfdsOptions& options = {});
std::string ShardPath(const std::string& directory, int shard, int shards,
                      const TfdsOptions& options = {});

}  // namespace xla_byol::input

#endif  // XLA_BYOL_TESTS_INPUT_TEST_DATA_H_
