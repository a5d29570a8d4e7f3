#include "tests/input/test_data.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// jpeglib.h needs size_t and FILE.
#include <jpeglib.h>
#include <png.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "xla_byol/base/philox.h"
#include "xla_byol/base/tfrecord.h"

namespace xla_byol::input {
namespace {

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes.push_back(static_cast<char>(value | 0x80));
  }
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

std::string BytesField(int number, absl::string_view bytes) {
  return absl::StrCat(Varint(static_cast<uint64_t>(number) << 3 | 2),
                      Varint(bytes.size()), bytes);
}

std::string MapEntry(absl::string_view name, absl::string_view feature) {
  return BytesField(1,
                    absl::StrCat(BytesField(1, name), BytesField(2, feature)));
}

}  // namespace

TestImage MakeImage(int32_t width, int32_t height, int channels,
                    uint32_t seed) {
  TestImage image = {{width, height}, channels, {}};
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      const auto words = Philox(
          seed, {static_cast<uint32_t>(x), static_cast<uint32_t>(y), 0, 7});
      for (int c = 0; c < channels; ++c) {
        const double wave = 128 + 90 * std::sin((x + 2 * c + seed) * 0.11) *
                                      std::cos((y - c) * 0.07 + seed);
        const int noise = static_cast<int>(words[static_cast<size_t>(c)] % 61);
        image.pixels.push_back(static_cast<uint8_t>(
            std::min(255.0, std::max(0.0, wave + noise - 30))));
      }
    }
  }
  return image;
}

std::string EncodeJpeg(const TestImage& image, const JpegOptions& options) {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = static_cast<JDIMENSION>(image.size.width);
  info.image_height = static_cast<JDIMENSION>(image.size.height);
  info.input_components = image.channels;
  info.in_color_space =
      options.inks ? JCS_CMYK : (image.channels == 3 ? JCS_RGB : JCS_GRAYSCALE);
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, options.quality, TRUE);
  info.comp_info[0].h_samp_factor = options.horizontal;
  info.comp_info[0].v_samp_factor = options.vertical;
  info.restart_interval = static_cast<unsigned>(options.restart_interval);
  if (options.progressive) jpeg_simple_progression(&info);
  if (options.inks) info.write_Adobe_marker = TRUE;
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row =
        const_cast<uint8_t*>(image.at(0, static_cast<int>(info.next_scanline)));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::string bytes(reinterpret_cast<char*>(memory), size);
  std::free(memory);
  jpeg_destroy_compress(&info);
  return bytes;
}

TestImage DecodeWholeJpeg(absl::string_view bytes, int channels) {
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()),
               static_cast<unsigned long>(bytes.size()));
  jpeg_read_header(&info, TRUE);
  info.out_color_space = channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_start_decompress(&info);
  TestImage image = {{static_cast<int32_t>(info.output_width),
                      static_cast<int32_t>(info.output_height)},
                     channels,
                     {}};
  image.pixels.resize(info.output_width * info.output_height *
                      static_cast<unsigned>(channels));
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = const_cast<uint8_t*>(
        image.at(0, static_cast<int>(info.output_scanline)));
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return image;
}

std::string EncodePng(const TestImage& image, bool interlaced) {
  std::string bytes;
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &bytes,
      [](png_structp writer, png_bytep data, size_t count) {
        static_cast<std::string*>(png_get_io_ptr(writer))
            ->append(reinterpret_cast<char*>(data), count);
      },
      nullptr);
  constexpr int kColorTypes[] = {0, PNG_COLOR_TYPE_GRAY,
                                 PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.size.width),
               static_cast<png_uint_32>(image.size.height), 8,
               kColorTypes[image.channels],
               interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  std::vector<png_bytep> rows;
  for (int y = 0; y < image.size.height; ++y) {
    rows.push_back(const_cast<uint8_t*>(image.at(0, y)));
  }
  png_set_rows(png, info, rows.data());
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

std::string MakeExample(absl::string_view image, std::optional<int64_t> label,
                        bool packed) {
  std::string features = MapEntry("image", BytesField(1, BytesField(1, image)));
  if (label.has_value()) {
    const std::string value = Varint(static_cast<uint64_t>(*label));
    features += MapEntry(
        "label", BytesField(3, packed ? BytesField(1, value)
                                      : absl::StrCat(Varint(1 << 3), value)));
  }
  return BytesField(1, features);
}

std::string Gzip(absl::string_view bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string MakeIdx(const std::vector<uint32_t>& dimensions,
                    absl::string_view values) {
  std::string bytes = {0, 0, 8, static_cast<char>(dimensions.size())};
  for (uint32_t dimension : dimensions) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes.push_back(static_cast<char>(dimension >> shift));
    }
  }
  return absl::StrCat(bytes, values);
}

std::string TestFolder(absl::string_view name) {
  const char* root = std::getenv("TEST_TMPDIR");
  const std::filesystem::path folder =
      std::filesystem::path(root == nullptr ? "/tmp" : root) /
      std::string(name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder.string();
}

void WriteTestFile(const std::string& path, absl::string_view bytes) {
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string ShardPath(const std::string& directory, int shard, int shards,
                      const TfdsOptions& options) {
  return absl::StrFormat("%s/%s-%s.%s-%05d-of-%05d", directory, options.name,
                         options.split, options.file_format, shard, shards);
}

void WriteTfds(const std::string& directory,
               const std::vector<std::vector<std::string>>& shards,
               const TfdsOptions& options) {
  std::vector<std::string> lengths;
  for (size_t i = 0; i < shards.size(); ++i) {
    std::string bytes;
    for (const std::string& example : shards[i]) bytes += FrameRecord(example);
    WriteTestFile(ShardPath(directory, static_cast<int>(i),
                            static_cast<int>(shards.size()), options),
                  bytes);
    lengths.push_back(absl::StrCat("\"", shards[i].size(), "\""));
  }
  WriteTestFile(
      absl::StrCat(directory, "/dataset_info.json"),
      absl::StrCat(R"({"name": ")", options.name, R"(", "version": "1.0.0",)",
                   R"("fileFormat": ")", options.file_format,
                   R"(", "somethingNew": {"a": [1]}, "splits": [{"name": ")",
                   options.split, R"(", "numBytes": "17", "shardLengths": [)",
                   absl::StrJoin(lengths, ","),
                   R"(], "filepathTemplate": )"
                   R"("{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"}]})"));
  WriteTestFile(
      absl::StrCat(directory, "/features.json"),
      absl::StrCat(R"({"pythonClassName": "FeaturesDict", "featuresDict": )",
                   R"({"features": {"image": {"image": )", options.image_json,
                   R"(}, "label": {"classLabel": {"numClasses": ")",
                   options.num_classes, R"("}}, "id": {"text": {}}}}})"));
}

}  // namespace xla_byol::input
