#include "xla_byol/input/image_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/input/test_data.h"
#include "xla_byol/base/philox.h"

namespace xla_byol::input {
namespace {

using ::testing::HasSubstr;

std::vector<JpegOptions> AllKinds() {
  std::vector<JpegOptions> kinds;
  for (bool progressive : {false, true}) {
    for (int horizontal : {1, 2}) {
      for (int vertical : {1, 2}) {
        kinds.push_back({90, horizontal, vertical, progressive, 0, false});
      }
    }
  }
  kinds.push_back({90, 2, 2, false, 3, false});
  kinds.push_back({30, 4, 1, false, 0, false});
  return kinds;
}

void ExpectRegion(const DecodedRegion& region, const TestImage& whole,
                  const Rect& wanted) {
  ASSERT_EQ(region.denominator, 1);
  ASSERT_LE(region.x, wanted.x);
  ASSERT_LE(region.y, wanted.y);
  ASSERT_GE(region.x + region.pixels.size.width, wanted.x + wanted.width);
  ASSERT_GE(region.y + region.pixels.size.height, wanted.y + wanted.height);
  for (int y = wanted.y; y < wanted.y + wanted.height; ++y) {
    const uint8_t* row = region.pixels.data +
                         (y - region.y) * region.pixels.stride +
                         (wanted.x - region.x) * whole.channels;
    const uint8_t* expected = whole.at(wanted.x, y);
    ASSERT_TRUE(std::equal(row, row + wanted.width * whole.channels, expected))
        << "row " << y << " of window " << wanted.x << "," << wanted.y << " "
        << wanted.width << "x" << wanted.height;
  }
}

TEST(ImageDecoderTest, EveryWindowOfAJpegIsLibjpegsExactly) {
  ImageDecoder decoder;  // One for all: state must not leak between images.
  for (int channels : {3, 1}) {
    for (const JpegOptions& kind : AllKinds()) {
      const std::string bytes = EncodeJpeg(MakeImage(203, 149, 3, 4), kind);
      const TestImage whole = DecodeWholeJpeg(bytes, channels);
      std::vector<Rect> windows = {
          {0, 0, 203, 149}, {202, 148, 1, 1}, {0, 0, 1, 1},    {16, 16, 16, 16},
          {15, 17, 18, 1},  {100, 0, 103, 9}, {0, 140, 50, 9}, {32, 1, 1, 100}};
      for (uint32_t i = 0; i < 40; ++i) {
        const auto words = Philox(5, {i, 0, 0, 0});
        windows.push_back(RandomCrop(203, 149, {}, words));
      }
      for (const Rect& window : windows) {
        ASSERT_TRUE(decoder.Open(bytes).ok());
        const auto region = decoder.Decode(window, channels, 1);
        ASSERT_TRUE(region.ok()) << region.status();
        ExpectRegion(*region, whole, window);
        if (HasFatalFailure()) {
          FAIL() << "sampling " << kind.horizontal << "x" << kind.vertical
                 << " progressive " << kind.progressive;
        }
      }
    }
  }
}

TEST(ImageDecoderTest, GreyJpegsBecomeColour) {
  const std::string bytes = EncodeJpeg(MakeImage(40, 30, 1, 4));
  const TestImage whole = DecodeWholeJpeg(bytes, 1);
  ImageDecoder decoder;
  ASSERT_TRUE(decoder.Open(bytes).ok());
  const auto region = decoder.Decode({0, 0, 40, 30}, 3, 1);
  ASSERT_TRUE(region.ok());
  for (size_t i = 0; i < whole.pixels.size(); ++i) {
    for (size_t c = 0; c < 3; ++c) {
      ASSERT_EQ(region->pixels.data[3 * i + c], whole.pixels[i]);
    }
  }
}

TEST(ImageDecoderTest, InksBecomeColour) {
  // Adobe stores inks inverted: 255 is no ink. Half of cyan's light, full key.
  TestImage inks = {{16, 16}, 4, {}};
  for (int i = 0; i < 256; ++i) {
    for (uint8_t value : {128, 255, 255, 255}) inks.pixels.push_back(value);
  }
  JpegOptions options;
  options.inks = true;
  options.quality = 100;
  const std::string bytes = EncodeJpeg(inks, options);
  ImageDecoder decoder;
  ASSERT_TRUE(decoder.Open(bytes).ok());
  const auto color = decoder.Decode({0, 0, 16, 16}, 3, 1);
  ASSERT_TRUE(color.ok()) << color.status();
  EXPECT_NEAR(color->pixels.data[0], 128, 2);
  EXPECT_NEAR(color->pixels.data[1], 255, 2);
  EXPECT_NEAR(color->pixels.data[2], 255, 2);
  ASSERT_TRUE(decoder.Open(bytes).ok());
  const auto gray = decoder.Decode({4, 4, 8, 8}, 1, 1);
  ASSERT_TRUE(gray.ok());
  EXPECT_NEAR(gray->pixels.data[0], 0.299 * 128 + 0.701 * 255, 2);
}

TEST(ImageDecoderTest, FractionsAreAveragesOfTheWhole) {
  const std::string bytes = EncodeJpeg(MakeImage(160, 128, 3, 9));
  const TestImage whole = DecodeWholeJpeg(bytes, 3);
  ImageDecoder decoder;
  for (int denominator : {2, 4, 8}) {
    ASSERT_TRUE(decoder.Open(bytes).ok());
    const auto region = decoder.Decode({48, 32, 64, 64}, 3, denominator);
    ASSERT_TRUE(region.ok());
    EXPECT_EQ(region->denominator, denominator);
    EXPECT_EQ(region->x % denominator, 0);
    double error = 0;
    int count = 0;
    for (int y = 32; y < 96; y += denominator) {
      for (int x = 48; x < 112; x += denominator) {
        for (int c = 0; c < 3; ++c) {
          double mean = 0;
          for (int j = 0; j < denominator; ++j) {
            for (int i = 0; i < denominator; ++i) {
              mean += whole.at(x + i, y + j)[c];
            }
          }
          mean /= denominator * denominator;
          error += std::abs(
              mean -
              region->pixels
                  .data[(y - region->y) / denominator * region->pixels.stride +
                        (x - region->x) / denominator * 3 + c]);
          ++count;
        }
      }
    }
    // The low frequencies are not exactly the block averages, but an offset of
    // a single pixel would show as an error of many levels in this image.
    EXPECT_LT(error / count, 3.0) << denominator;
  }
}

TEST(ImageDecoderTest, PngsAreExact) {
  ImageDecoder decoder;
  for (bool interlaced : {false, true}) {
    for (int channels : {1, 2, 3, 4}) {
      const TestImage image = MakeImage(31, 17, channels, 3);
      const std::string bytes = EncodePng(image, interlaced);
      const auto size = decoder.Open(bytes);
      ASSERT_TRUE(size.ok());
      EXPECT_EQ(*size, image.size);
      const auto region = decoder.Decode({3, 3, 5, 5}, 3, 1);
      ASSERT_TRUE(region.ok()) << region.status();
      for (int y = 0; y < 17; ++y) {
        for (int x = 0; x < 31; ++x) {
          for (int c = 0; c < 3; ++c) {
            ASSERT_EQ(
                region->pixels.data[y * region->pixels.stride + 3 * x + c],
                image.at(x, y)[channels < 3 ? 0 : c]);
          }
        }
      }
    }
  }
  const TestImage color = MakeImage(8, 8, 3, 3);
  const std::string bytes = EncodePng(color);
  ASSERT_TRUE(decoder.Open(bytes).ok());
  const auto gray = decoder.Decode({0, 0, 8, 8}, 1, 1);
  ASSERT_TRUE(gray.ok());
  const uint8_t* first = color.at(0, 0);
  // libpng's integer weights may be off by one level.
  EXPECT_NEAR(gray->pixels.data[0],
              0.299 * first[0] + 0.587 * first[1] + 0.114 * first[2], 1.01);
}

void ExpectBad(const std::string& bytes, const std::string& words) {
  ImageDecoder decoder;
  const auto size = decoder.Open(bytes);
  if (!size.ok()) {
    EXPECT_EQ(size.status().code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(size.status().message()), HasSubstr(words));
    return;
  }
  const auto region = decoder.Decode({0, 0, size->width, size->height}, 3, 1);
  ASSERT_FALSE(region.ok());
  EXPECT_EQ(region.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(region.status().message()), HasSubstr(words));
}

TEST(ImageDecoderTest, BadImagesAreNamed) {
  const std::string jpeg = EncodeJpeg(MakeImage(64, 64, 3, 1));
  const std::string png = EncodePng(MakeImage(64, 64, 3, 1));
  ExpectBad("", "0 bytes");
  ExpectBad("GIF89a and more", "GIF");
  ExpectBad("hello, world", "neither JPEG nor PNG");
  ExpectBad(jpeg.substr(0, 20), "JPEG");
  ExpectBad(jpeg.substr(0, jpeg.size() / 2), "JPEG");
  ExpectBad(png.substr(0, 20), "PNG");
  ExpectBad(png.substr(0, png.size() / 2), "PNG: data ends too early");
  std::string flipped = png;
  flipped[png.size() / 2] = static_cast<char>(~flipped[png.size() / 2]);
  ExpectBad(flipped, "PNG");
}

TEST(ImageDecoderTest, AbsurdSizesAreRefusedBeforeMemoryIsTaken) {
  std::string jpeg = EncodeJpeg(MakeImage(64, 64, 3, 1));
  const size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  for (size_t i = 5; i < 9; ++i) jpeg[frame + i] = '\xfa';
  ExpectBad(jpeg, "larger than any photo");
  std::string png = EncodePng(MakeImage(8, 8, 3, 1));
  png[17] = '\x40';
  ExpectBad(png, "size of");
}

TEST(ImageDecoderTest, GoodImagesFollowBadOnes) {
  const std::string jpeg = EncodeJpeg(MakeImage(64, 48, 3, 1));
  const TestImage whole = DecodeWholeJpeg(jpeg, 3);
  ImageDecoder decoder;
  for (size_t cut = 0; cut < jpeg.size(); cut += 97) {
    if (decoder.Open(jpeg.substr(0, cut)).ok()) {
      const std::string part = jpeg.substr(0, cut);
      ASSERT_TRUE(decoder.Open(part).ok());
      EXPECT_FALSE(decoder.Decode({0, 0, 64, 48}, 3, 1).ok()) << cut;
    }
    ASSERT_TRUE(decoder.Open(jpeg).ok());
    const auto region = decoder.Decode({5, 5, 20, 20}, 3, 1);
    ASSERT_TRUE(region.ok());
    ExpectRegion(*region, whole, {5, 5, 20, 20});
  }
}

}  // namespace
}  // namespace xla_byol::input
