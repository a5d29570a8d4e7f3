#include "xla_byol/kernels/winograd.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "xla_byol/base/status_macros.h"
#include "xla_byol/kernels/winograd_code.h"
#include "xla_byol/kernels/winograd_layout.h"
#include "xla_byol/kernels/workspace.h"

namespace xla_byol::kernels {
namespace {

using winograd::Code;
using winograd::Images;
using winograd::kPanel;
using winograd::kPoints;
using winograd::kProducts;
using winograd::kResults;
using winograd::kTile;
using winograd::kWeights;
using winograd::kWindow;
using winograd::Matrices;
using winograd::Tiles;

// Parts of `count` things, for tasks of at least `least` each and several for
// each thread.
struct Ranges {
  size_t count, parts;

  Ranges(size_t things, size_t least, int threads)
      : count(things),
        parts(std::clamp<size_t>(things / least, 1,
                                 static_cast<size_t>(threads) * 4)) {}
  size_t begin(size_t part) const { return count * part / parts; }

  template <typename F>
  void Run(const Workers& workers, const F& f) const {
    workers.run(static_cast<int>(parts), [&](int part) {
      const size_t index = static_cast<size_t>(part);
      for (size_t i = begin(index); i < begin(index + 1); ++i) f(i);
    });
  }
};

absl::Status NoMemory() { return absl::ResourceExhaustedError("no memory"); }

// block[kPanel][kPanel] = transpose of a block in rows of `stride` floats.
void TransposeBlock(const float* from, size_t stride, float* block) {
  constexpr size_t kStep = 16;  // a cache line
  for (size_t row = 0; row < kPanel; row += kStep) {
    for (size_t column = 0; column < kPanel; ++column) {
      for (size_t i = 0; i < kStep; ++i) {
        block[column * kPanel + row + i] = from[(row + i) * stride + column];
      }
    }
  }
}

// A kernel [3,3,i,o] as factors with a row for each channel that is summed
// over. For the input's gradient that is o, and the window is turned around.
absl::Status TransformKernel(const Code& code, const float* kernel,
                             size_t inputs, size_t outputs, bool gradient,
                             const Matrices& factors, const Workers& workers) {
  const size_t depth = gradient ? outputs : inputs;
  const size_t panels = (gradient ? inputs : outputs) / kPanel;
  std::atomic<bool> short_of_memory = false;
  Ranges(panels * (depth / kPanel), 1, workers.threads)
      .Run(workers, [&](size_t index) {
        const size_t panel = index % panels;
        const size_t first = index / panels * kPanel;
        const Workspace turned(
            gradient ? kWeights * kPanel * kPanel * sizeof(float) : 0);
        if (turned.data() == nullptr) {
          short_of_memory = true;
          return;
        }
        auto* const blocks = reinterpret_cast<float*>(turned.data());
        for (size_t i = 0; gradient && i < kWeights; ++i) {
          TransposeBlock(
              kernel +
                  ((kWeights - 1 - i) * inputs + panel * kPanel) * outputs +
                  first,
              outputs, blocks + i * kPanel * kPanel);
        }
        for (size_t row = 0; row < kPanel; ++row) {
          const float* weights[kWeights];
          for (size_t i = 0; i < kWeights; ++i) {
            weights[i] = gradient
                             ? blocks + (i * kPanel + row) * kPanel
                             : kernel + (i * inputs + first + row) * outputs +
                                   panel * kPanel;
          }
          code.kernel(weights, factors.row(first + row, panel), factors.stride);
        }
      });
  return short_of_memory ? NoMemory() : absl::OkStatus();
}

// Tiles that a task computes together: their factors and products stay in a
// core's cache where the kernel is small, and a large kernel is read for many.
// Where there are few tasks, each thread gets as many.
size_t TilesTogether(size_t tiles, size_t inputs, size_t outputs, int threads) {
  constexpr size_t kCacheFloats = 180'000, kSharedCacheFloats = 4'000'000;
  const size_t least =
      kProducts * inputs * outputs > kSharedCacheFloats ? 96 : 48;
  const size_t fit =
      std::max(least, kCacheFloats / (kProducts * (inputs + outputs)));
  const size_t workers = static_cast<size_t>(threads);
  const size_t rounds =
      std::max<size_t>((tiles + fit * workers / 2) / (fit * workers), 1);
  return (tiles + rounds * workers - 1) / (rounds * workers);
}

// Of `source` with a kernel [3,3,...] to `target`.
absl::Status Convolve(const Code& code, const Images<const float>& source,
                      const Images<float>& target, int64_t above, int64_t left,
                      const float* kernel, bool gradient,
                      const Workers& workers) {
  const Tiles tiles(target);
  const size_t together = TilesTogether(tiles.count(), source.channels,
                                        target.channels, workers.threads);
  const size_t kernel_floats =
      Matrices::Floats(source.channels, target.channels);
  const Workspace shared((kernel_floats + source.channels) * sizeof(float));
  if (shared.data() == nullptr) return NoMemory();
  auto* const floats = reinterpret_cast<float*>(shared.data());
  const Matrices kernels(floats, source.channels, target.channels);
  float* const zeros = floats + kernel_floats;
  std::fill_n(zeros, source.channels, 0.0f);
  RETURN_IF_ERROR(TransformKernel(code, kernel,
                                  gradient ? target.channels : source.channels,
                                  gradient ? source.channels : target.channels,
                                  gradient, kernels, workers));

  const size_t factor_floats = Matrices::Floats(together, source.channels);
  const size_t product_floats = Matrices::Floats(together, target.channels);
  const size_t tasks = (tiles.count() + together - 1) / together;
  std::atomic<bool> short_of_memory = false;
  workers.run(static_cast<int>(tasks), [&](int task) {
    const Workspace own((factor_floats + product_floats + target.channels) *
                        sizeof(float));
    if (own.data() == nullptr) {
      short_of_memory = true;
      return;
    }
    auto* const scratch = reinterpret_cast<float*>(own.data());
    const Matrices factors(scratch, together, source.channels);
    const Matrices products(scratch + factor_floats, together, target.channels);
    float* const discarded = scratch + factor_floats + product_floats;
    const size_t begin = static_cast<size_t>(task) * together;
    const size_t count = std::min(together, tiles.count() - begin);
    for (size_t i = 0; i < count; ++i) {
      const float* pixels[kProducts];
      tiles.Find<kPoints, const float>(begin + i, source, above, left, zeros,
                                       pixels);
      code.images(pixels, source.channels, factors.panel(), factors.row(i),
                  factors.stride);
    }
    for (size_t product = 0; product < kProducts; ++product) {
      for (size_t panel = 0; panel < target.panels(); ++panel) {
        code.multiply(count, source.channels, factors.product(product, 0),
                      factors.panel(), kernels.product(product, panel),
                      products.product(product, panel));
      }
    }
    for (size_t i = 0; i < count; ++i) {
      float* results[kResults];
      tiles.Find<kTile>(begin + i, target, 0, 0, discarded, results);
      code.results(products.row(i), products.stride, target.channels,
                   products.panel(), results);
    }
  });
  return short_of_memory ? NoMemory() : absl::OkStatus();
}

absl::Status KernelGradient(const Code& code, const Images<const float>& images,
                            const Images<const float>& cotangents,
                            int64_t above, int64_t left, float* out,
                            const Workers& workers) {
  const Tiles tiles(cotangents);
  const size_t inputs = images.channels, outputs = cotangents.channels;
  // So many that sums are read and written seldom, in the shared cache.
  constexpr size_t kCacheFloats = 2'000'000;
  constexpr size_t kLeast = 96;
  const size_t together = std::min(
      tiles.count(),
      std::max(kLeast, kCacheFloats / (kProducts * (inputs + outputs))));
  const size_t sum_floats = Matrices::Floats(inputs, outputs);
  const size_t image_floats = Matrices::Floats(together, inputs);
  const size_t cotangent_floats = Matrices::Floats(together, outputs);
  const Workspace workspace((sum_floats + image_floats + cotangent_floats +
                             std::max(inputs, outputs)) *
                            sizeof(float));
  if (workspace.data() == nullptr) return NoMemory();
  auto* const floats = reinterpret_cast<float*>(workspace.data());
  const Matrices sums(floats, inputs, outputs);
  const Matrices left_factors(floats + sum_floats, together, inputs);
  const Matrices right_factors(floats + sum_floats + image_floats, together,
                               outputs);
  float* const zeros = floats + sum_floats + image_floats + cotangent_floats;
  std::fill_n(zeros, std::max(inputs, outputs), 0.0f);

  for (size_t begin = 0; begin < tiles.count(); begin += together) {
    const size_t count = std::min(together, tiles.count() - begin);
    Ranges(count, 4, workers.threads).Run(workers, [&](size_t i) {
      const float* pixels[kProducts];
      tiles.Find<kPoints, const float>(begin + i, images, above, left, zeros,
                                       pixels);
      code.images(pixels, inputs, left_factors.panel(), left_factors.row(i),
                  left_factors.stride);
      const float* results[kResults];
      tiles.Find<kTile, const float>(begin + i, cotangents, 0, 0, zeros,
                                     results);
      code.cotangents(results, outputs, right_factors.panel(),
                      right_factors.row(i), right_factors.stride);
    });
    const size_t blocks = images.panels() * cotangents.panels();
    Ranges(kProducts * blocks, 1, workers.threads).Run(workers, [&](size_t i) {
      const size_t product = i / blocks;
      const size_t input = i % blocks / cotangents.panels();
      const size_t output = i % cotangents.panels();
      code.multiply_transposed(
          count, left_factors.product(product, input),
          right_factors.product(product, output), begin == 0,
          sums.product(product, output) + input * kPanel * kPanel);
    });
  }
  Ranges(inputs, 8, workers.threads).Run(workers, [&](size_t row) {
    for (size_t panel = 0; panel < cotangents.panels(); ++panel) {
      float* weights[kWeights];
      for (size_t i = 0; i < kWeights; ++i) {
        weights[i] = out + (i * inputs + row) * outputs + panel * kPanel;
      }
      code.kernel_gradient(sums.row(row, panel), sums.stride, weights);
    }
  });
  return absl::OkStatus();
}

// Of stride 1, without dilation, and all sizes fit each other.
bool IsPlain3x3(const ConvolutionSizes& s) {
  const auto is_one = [](int64_t n) { return n == 1; };
  const auto pads = [](int64_t n) { return n >= 0 && n < kWindow; };
  return std::all_of(s.strides.begin(), s.strides.end(), is_one) &&
         std::all_of(s.dilation.begin(), s.dilation.end(), is_one) &&
         std::all_of(s.padding.begin(), s.padding.end(), pads) &&
         s.kernel == std::array<int64_t, 4>{kWindow, kWindow, s.images[3],
                                            s.result[3]} &&
         s.result[0] == s.images[0] &&
         s.result[1] ==
             s.images[1] + s.padding[0] + s.padding[1] - kWindow + 1 &&
         s.result[2] == s.images[2] + s.padding[2] + s.padding[3] - kWindow + 1;
}

}  // namespace

bool WinogradSuits(const ConvolutionSizes& s) {
  if (winograd::FindCode() == nullptr || !IsPlain3x3(s)) return false;
  if (s.kernel[2] % kPanel != 0 || s.kernel[3] % kPanel != 0) return false;
  // Transforming the kernel must pay, and half of each tile must be used. Small
  // images of few channels take little of a step's time: there oneDNN's smaller
  // errors count for more.
  constexpr size_t kLeastTiles = 32;
  constexpr int64_t kLargeImage = 8, kManyChannels = 256;
  const Images<const float> results(
      nullptr, s.kind == ConvolutionKind::kInputGradient ? s.images : s.result);
  const size_t tiles = Tiles(results).count();
  const size_t positions = results.count * results.height * results.width;
  const bool large = std::min(s.result[1], s.result[2]) >= kLargeImage ||
                     std::min(s.kernel[2], s.kernel[3]) >= kManyChannels;
  return large && tiles >= kLeastTiles && 2 * positions >= tiles * kResults;
}

absl::Status WinogradConvolution(const ConvolutionSizes& s, const float* lhs,
                                 const float* rhs, float* out,
                                 const Workers& workers) {
  const Code& code = *winograd::FindCode();
  const int64_t above = s.padding[0], left = s.padding[2];
  switch (s.kind) {
    case ConvolutionKind::kForward:
      return Convolve(code, Images(lhs, s.images), Images(out, s.result), above,
                      left, rhs, false, workers);
    case ConvolutionKind::kInputGradient:
      return Convolve(code, Images(lhs, s.result), Images(out, s.images),
                      kWindow - 1 - above, kWindow - 1 - left, rhs, true,
                      workers);
    case ConvolutionKind::kKernelGradient:
      return KernelGradient(code, Images(lhs, s.images), Images(rhs, s.result),
                            above, left, out, workers);
  }
  return absl::InternalError("no such convolution");
}

}  // namespace xla_byol::kernels
