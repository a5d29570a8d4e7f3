// Winograd's algorithm against plain sums in double precision. Without a
// plugin, so that the sanitizers see all there is.

#include "xla_byol/kernels/winograd.h"

#include <cmath>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace xla_byol::kernels {
namespace {

using Kind = ConvolutionKind;
using Floats = std::vector<float>;

constexpr Kind kKinds[] = {Kind::kForward, Kind::kInputGradient,
                           Kind::kKernelGradient};

ConvolutionSizes Sizes(Kind kind, std::array<int64_t, 4> images,
                       int64_t outputs, std::array<int64_t, 4> padding) {
  return {kind,
          images,
          {3, 3, images[3], outputs},
          {images[0], images[1] + padding[0] + padding[1] - 2,
           images[2] + padding[2] + padding[3] - 2, outputs},
          {1, 1},
          {1, 1},
          padding};
}

std::string Name(const ConvolutionSizes& s) {
  return absl::StrCat("kind ", static_cast<int>(s.kind), ", images ",
                      absl::StrJoin(s.images, "x"), ", kernel ",
                      absl::StrJoin(s.kernel, "x"), ", padding ",
                      absl::StrJoin(s.padding, ","));
}

// Whole tiles and tiles that are cut off, one and several panels of channels,
// and all paddings, above and below or left and right different too.
std::vector<ConvolutionSizes> AllSizes() {
  std::vector<ConvolutionSizes> all;
  for (const Kind kind : kKinds) {
    all.push_back(Sizes(kind, {8, 8, 8, 64}, 64, {1, 1, 1, 1}));
    all.push_back(Sizes(kind, {4, 11, 12, 64}, 128, {1, 1, 1, 1}));
    all.push_back(Sizes(kind, {2, 17, 16, 128}, 64, {1, 0, 2, 1}));
    all.push_back(Sizes(kind, {2, 18, 18, 64}, 64, {0, 0, 0, 0}));
    all.push_back(Sizes(kind, {2, 14, 14, 64}, 64, {2, 2, 2, 2}));
    all.push_back(Sizes(kind, {9, 7, 7, 256}, 256, {1, 1, 1, 1}));
  }
  return all;
}

size_t Count(const std::array<int64_t, 4>& dims) {
  return static_cast<size_t>(dims[0] * dims[1] * dims[2] * dims[3]);
}

Floats Random(size_t count, std::mt19937& rng) {
  std::normal_distribution<float> normal;
  Floats floats(count);
  for (float& value : floats) value = normal(rng);
  return floats;
}

// The three arrays of a convolution; `out` is the one that is computed.
struct Arrays {
  Floats images, kernel, result;

  explicit Arrays(const ConvolutionSizes& s) {
    std::mt19937 rng(3);
    images = Random(Count(s.images), rng);
    kernel = Random(Count(s.kernel), rng);
    result = Random(Count(s.result), rng);
  }
  const Floats& lhs(Kind kind) const {
    return kind == Kind::kInputGradient ? result : images;
  }
  const Floats& rhs(Kind kind) const {
    return kind == Kind::kKernelGradient ? result : kernel;
  }
  const Floats& out(Kind kind) const {
    return kind == Kind::kForward         ? result
           : kind == Kind::kInputGradient ? images
                                          : kernel;
  }
};

// One multiplication for each weight, position and pair of channels.
std::vector<double> Expected(const ConvolutionSizes& s, const Arrays& arrays) {
  std::vector<double> sums(arrays.out(s.kind).size());
  const auto [n, h, w, inputs] = s.images;
  const int64_t outputs = s.result[3];
  const auto add = [&](int64_t image, int64_t result, int64_t weight) {
    for (int64_t i = 0; i < inputs; ++i) {
      for (int64_t o = 0; o < outputs; ++o) {
        const auto x = static_cast<size_t>(image * inputs + i);
        const auto y = static_cast<size_t>(result * outputs + o);
        const auto k = static_cast<size_t>((weight * inputs + i) * outputs + o);
        const double image_value = arrays.images[x];
        if (s.kind == Kind::kForward) {
          sums[y] += image_value * arrays.kernel[k];
        } else if (s.kind == Kind::kInputGradient) {
          sums[x] += static_cast<double>(arrays.result[y]) * arrays.kernel[k];
        } else {
          sums[k] += image_value * arrays.result[y];
        }
      }
    }
  };
  for (int64_t at = 0; at < n * s.result[1] * s.result[2] * 9; ++at) {
    const int64_t weight = at % 9, result = at / 9;
    const int64_t x = result % s.result[2] + weight % 3 - s.padding[2];
    const int64_t row = result / s.result[2];
    const int64_t y = row % s.result[1] + weight / 3 - s.padding[0];
    if (x < 0 || x >= w || y < 0 || y >= h) continue;
    add((row / s.result[1] * h + y) * w + x, result, weight);
  }
  return sums;
}

Floats Compute(const ConvolutionSizes& s, const Arrays& arrays, int threads) {
  // Memory is whatever it was: a result that is not written shows.
  Floats out(arrays.out(s.kind).size(), std::nanf(""));
  const auto run = [&](int count, absl::FunctionRef<void(int)> task) {
    std::vector<std::thread> others;
    for (int thread = 0; thread < threads; ++thread) {
      others.emplace_back([=] {
        for (int i = thread; i < count; i += threads) task(i);
      });
    }
    for (std::thread& other : others) other.join();
  };
  const absl::Status status = WinogradConvolution(s, arrays.lhs(s.kind).data(),
                                                  arrays.rhs(s.kind).data(),
                                                  out.data(), {threads, run});
  EXPECT_TRUE(status.ok()) << status;
  return out;
}

TEST(WinogradTest, AgreesWithPlainSums) {
  for (const ConvolutionSizes& s : AllSizes()) {
    ASSERT_TRUE(WinogradSuits(s)) << Name(s);
    const Arrays arrays(s);
    const std::vector<double> expected = Expected(s, arrays);
    const Floats actual = Compute(s, arrays, 2);
    double error = 0, norm = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      const double difference = actual[i] - expected[i];
      error += difference * difference;
      norm += expected[i] * expected[i];
    }
    // In f32 the transforms alone are off by 1e-6 (winograd_lines.h).
    EXPECT_LT(std::sqrt(error / norm), 4e-6) << Name(s);
  }
}

TEST(WinogradTest, BitsDoNotDependOnThreads) {
  for (const ConvolutionSizes& s : AllSizes()) {
    const Arrays arrays(s);
    const Floats alone = Compute(s, arrays, 1);
    for (const int threads : {2, 3, 8}) {
      EXPECT_EQ(Compute(s, arrays, threads), alone)
          << Name(s) << ", threads: " << threads;
    }
  }
}

// What it cannot compute, or not faster, is oneDNN's, whose errors name what is
// wrong with sizes that do not fit each other.
TEST(WinogradTest, LeavesTheRestToOnednn) {
  for (const Kind kind : kKinds) {
    const ConvolutionSizes good = Sizes(kind, {8, 8, 8, 64}, 64, {1, 1, 1, 1});
    const auto suits = [&](auto change) {
      ConvolutionSizes sizes = good;
      change(sizes);
      return WinogradSuits(sizes);
    };
    EXPECT_TRUE(suits([](ConvolutionSizes&) {}));
    EXPECT_FALSE(suits([](auto& s) { s.strides = {2, 2}; }));
    EXPECT_FALSE(suits([](auto& s) { s.dilation = {1, 2}; }));
    EXPECT_FALSE(suits([](auto& s) { s.padding = {1, 1, 3, 1}; }));
    EXPECT_FALSE(suits([](auto& s) { s.kernel[0] = 1; }));
    EXPECT_FALSE(suits([](auto& s) { s.kernel[2] = 128; }));
    EXPECT_FALSE(suits([](auto& s) { s.result[1] = 9; }));
    EXPECT_FALSE(suits([](auto& s) { s.result[0] = 7; }));
    // Few tiles, small images of few channels, channels that fill no panel,
    // and tiles most of which is cut off.
    EXPECT_FALSE(WinogradSuits(Sizes(kind, {1, 8, 8, 64}, 64, {1, 1, 1, 1})));
    EXPECT_FALSE(WinogradSuits(Sizes(kind, {64, 4, 4, 64}, 64, {1, 1, 1, 1})));
    EXPECT_FALSE(WinogradSuits(Sizes(kind, {8, 8, 8, 64}, 96, {1, 1, 1, 1})));
    EXPECT_FALSE(
        WinogradSuits(Sizes(kind, {64, 5, 5, 256}, 256, {1, 1, 1, 1})));
  }
}

}  // namespace
}  // namespace xla_byol::kernels
