#include "xla_byol/reporting/png_encoder.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/input/test_data.h"
#include "xla_byol/input/image_decoder.h"

namespace xla_byol {
namespace {

using input::ImageDecoder;
using input::ImageSize;
using input::ImageView;
using input::MakeImage;
using input::TestImage;

TEST(PngEncoderTest, DecodesToTheSamePixels) {
  for (const int channels : {1, 3}) {
    const TestImage image = MakeImage(37, 23, channels, 1);
    const auto png = EncodePng(image.view());
    ASSERT_TRUE(png.ok()) << png.status();
    ImageDecoder decoder;
    const auto size = decoder.Open(*png);
    ASSERT_TRUE(size.ok()) << size.status();
    EXPECT_EQ(*size, image.size);
    const auto region = decoder.Decode({0, 0, 37, 23}, channels, 1);
    ASSERT_TRUE(region.ok()) << region.status();
    for (int y = 0; y < 23; ++y) {
      const uint8_t* row = region->pixels.data + y * region->pixels.stride;
      EXPECT_EQ(
          std::vector<uint8_t>(row, row + 37 * channels),
          std::vector<uint8_t>(image.at(0, y), image.at(0, y) + 37 * channels));
    }
  }
}

TEST(PngEncoderTest, RefusesWhatIsNoImage) {
  EXPECT_FALSE(EncodePng(ImageView()).ok());
  const TestImage image = MakeImage(3, 3, 4, 1);
  EXPECT_EQ(EncodePng(image.view()).status().message(),
            "PNG: an image of 3x3 with 4 channels; it must have pixels and 1 "
            "or 3 channels");
}

TEST(PngEncoderTest, PutsPicturesInAGrid) {
  // Three pictures of 2x1 in rows of two.
  const std::vector<uint8_t> pixels = {1, 2, 3, 4, 5, 6};
  const PictureGrid grid = MakePictureGrid(pixels, {2, 1}, 1, 2);
  EXPECT_EQ(grid.size, (ImageSize{5, 3}));
  EXPECT_EQ(grid.pixels, (std::vector<uint8_t>{1, 2, 128, 3, 4, 128, 128, 128,
                                               128, 128, 5, 6, 128, 128, 128}));
  EXPECT_EQ(MakePictureGrid(pixels, {2, 1}, 1, 8).size, (ImageSize{8, 1}));
  EXPECT_EQ(MakePictureGrid(pixels, {1, 1}, 3, 1).pixels,
            (std::vector<uint8_t>{1, 2, 3, 128, 128, 128, 4, 5, 6}));
}

}  // namespace
}  // namespace xla_byol
