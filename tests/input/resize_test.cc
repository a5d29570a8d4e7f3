#include "xla_byol/input/resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/input/test_data.h"

namespace xla_byol::input {
namespace {

// Keys' kernel with a = -0.5, as the literature writes it.
double Keys(double x) {
  x = std::abs(x);
  if (x < 1) return 1.5 * x * x * x - 2.5 * x * x + 1;
  if (x < 2) return -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2;
  return 0;
}

// tf.image.resize's definition in double precision, one output value at a time.
double ReferenceValue(const TestImage& image, const ResizeWindow& window,
                      ImageSize size, int x, int y, int channel) {
  const double center_x =
      (x + 0.5) * window.width / size.width - 0.5 + window.x;
  const double center_y =
      (y + 0.5) * window.height / size.height - 0.5 + window.y;
  double sum = 0;
  double weights = 0;
  for (int j = static_cast<int>(std::floor(center_y)) - 1;
       j <= std::floor(center_y) + 2; ++j) {
    if (j < std::floor(window.y) || j >= std::ceil(window.y + window.height)) {
      continue;
    }
    for (int i = static_cast<int>(std::floor(center_x)) - 1;
         i <= std::floor(center_x) + 2; ++i) {
      if (i < std::floor(window.x) || i >= std::ceil(window.x + window.width)) {
        continue;
      }
      const double weight = Keys(center_x - i) * Keys(center_y - j);
      sum += weight * image.at(i, j)[channel];
      weights += weight;
    }
  }
  return std::clamp(sum / weights, 0.0, 255.0);
}

struct Case {
  ImageSize source;
  ResizeWindow window;
  ImageSize target;
  int channels;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (int channels : {1, 2, 3, 4}) {
    cases.push_back({{97, 61}, {0, 0, 97, 61}, {224, 224}, channels});
    cases.push_back({{97, 61}, {13, 7, 40, 50}, {32, 32}, channels});
    cases.push_back({{97, 61}, {13.25, 7.5, 40.125, 50.5}, {33, 31}, channels});
    cases.push_back({{500, 375}, {100, 20, 400, 355}, {64, 64}, channels});
    cases.push_back({{9, 9}, {2, 3, 1, 1}, {16, 16}, channels});
    cases.push_back({{9, 9}, {6, 7, 3, 2}, {7, 5}, channels});
    cases.push_back({{2, 2}, {0, 0, 2, 2}, {5, 5}, channels});
    cases.push_back({{1, 1}, {0, 0, 1, 1}, {3, 2}, channels});
    cases.push_back({{32, 32}, {0, 0, 32, 32}, {32, 32}, channels});
  }
  return cases;
}

TEST(ResizeTest, AgreesWithTheDefinitionInDoublePrecision) {
  for (const Case& one : Cases()) {
    const TestImage image =
        MakeImage(one.source.width, one.source.height, one.channels, 5);
    std::vector<uint8_t> out(static_cast<size_t>(
        one.target.width * one.target.height * one.channels));
    Resizer().Resize(image.view(), one.window, one.target, false, out.data());
    double worst = 0;
    const uint8_t* value = out.data();
    for (int y = 0; y < one.target.height; ++y) {
      for (int x = 0; x < one.target.width; ++x) {
        for (int c = 0; c < one.channels; ++c) {
          const double exact =
              ReferenceValue(image, one.window, one.target, x, y, c);
          worst = std::max(worst, std::abs(exact - *value++));
        }
      }
    }
    // Rounding to a byte costs up to 0.5; weights of 14 bits and 6 fractional
    // bits between the passes up to 0.05 more. The bar is 1.
    EXPECT_LE(worst, 0.55) << one.source.width << "x" << one.source.height
                           << " channels " << one.channels;
  }
}

TEST(ResizeTest, SameSizeIsTheSameImage) {
  const TestImage image = MakeImage(40, 30, 3, 1);
  std::vector<uint8_t> out(image.pixels.size());
  Resizer().Resize(image.view(), {0, 0, 40, 30}, {40, 30}, false, out.data());
  EXPECT_EQ(out, image.pixels);
}

TEST(ResizeTest, EvenSurfacesStayEven) {
  for (int level : {0, 1, 127, 254, 255}) {
    TestImage image = MakeImage(50, 41, 3, 1);
    std::fill(image.pixels.begin(), image.pixels.end(),
              static_cast<uint8_t>(level));
    std::vector<uint8_t> out(224 * 224 * 3);
    Resizer().Resize(image.view(), {3, 5, 33, 30}, {224, 224}, false,
                     out.data());
    for (uint8_t value : out) ASSERT_EQ(value, level);
  }
}

TEST(ResizeTest, FastKernelsGiveThePlainOnesBits) {
  for (const Case& one : Cases()) {
    // Extreme values overshoot, which is where saturation could differ.
    for (bool extreme : {false, true}) {
      TestImage image =
          MakeImage(one.source.width, one.source.height, one.channels, 6);
      if (extreme) {
        for (uint8_t& value : image.pixels) value = value > 127 ? 255 : 0;
      }
      for (bool flip : {false, true}) {
        const size_t bytes = static_cast<size_t>(
            one.target.width * one.target.height * one.channels);
        std::vector<uint8_t> plain(bytes);
        std::vector<uint8_t> fast(bytes);
        Resizer(internal::PlainKernels())
            .Resize(image.view(), one.window, one.target, flip, plain.data());
        Resizer(internal::BestKernels())
            .Resize(image.view(), one.window, one.target, flip, fast.data());
        ASSERT_EQ(plain, fast);
      }
    }
  }
}

TEST(ResizeTest, FlipMirrors) {
  const TestImage image = MakeImage(50, 41, 3, 8);
  constexpr int kSide = 37;
  std::vector<uint8_t> straight(kSide * kSide * 3);
  std::vector<uint8_t> mirrored(straight.size());
  const ResizeWindow window = {4, 3, 30, 31};
  Resizer resizer;
  resizer.Resize(image.view(), window, {kSide, kSide}, false, straight.data());
  resizer.Resize(image.view(), window, {kSide, kSide}, true, mirrored.data());
  for (size_t y = 0; y < kSide; ++y) {
    for (size_t x = 0; x < kSide; ++x) {
      for (size_t c = 0; c < 3; ++c) {
        ASSERT_EQ(straight[(y * kSide + x) * 3 + c],
                  mirrored[(y * kSide + kSide - 1 - x) * 3 + c]);
      }
    }
  }
}

// Pixels outside of the window must not matter.
TEST(ResizeTest, OnlyTheWindowCounts) {
  const TestImage image = MakeImage(60, 50, 3, 2);
  TestImage crop = {{20, 25}, 3, {}};
  for (int y = 0; y < 25; ++y) {
    const uint8_t* row = image.at(30, 11 + y);
    crop.pixels.insert(crop.pixels.end(), row, row + 20 * 3);
  }
  std::vector<uint8_t> from_image(32 * 32 * 3);
  std::vector<uint8_t> from_crop(32 * 32 * 3);
  Resizer resizer;
  resizer.Resize(image.view(), {30, 11, 20, 25}, {32, 32}, false,
                 from_image.data());
  resizer.Resize(crop.view(), {0, 0, 20, 25}, {32, 32}, false,
                 from_crop.data());
  EXPECT_EQ(from_image, from_crop);
}

}  // namespace
}  // namespace xla_byol::input
