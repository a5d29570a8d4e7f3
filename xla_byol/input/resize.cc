#include "xla_byol/input/resize.h"

#include <algorithm>
#include <cmath>

#include "xla_byol/input/resize_avx2.h"

namespace xla_byol::input {
namespace internal {
namespace {

constexpr int kWeightBits = 14;
constexpr int kFractionBits = 6;

// Keys' cubic at distance |x| with a = -0.5: within one pixel, and within two.
double NearWeight(double x) { return (1.5 * x - 2.5) * x * x + 1; }
double FarWeight(double x) { return ((-0.5 * x + 2.5) * x - 4) * x + 2; }

int16_t Quantize(double weight) {
  // Offset to positive, where truncation is the fastest way to round.
  constexpr double kOffset = 32768;
  return static_cast<int16_t>(
      static_cast<int32_t>(weight * (1 << kWeightBits) + (kOffset + 0.5)) -
      static_cast<int32_t>(kOffset));
}

Taps MakeTaps(double center, int32_t low, int32_t high) {
  // Centers are above -1, where this is floor without a call to it.
  const int32_t floor = static_cast<int32_t>(center + 1) - 1;
  const double delta = center - floor;
  double weights[kTaps] = {FarWeight(1 + delta), NearWeight(delta),
                           NearWeight(1 - delta), FarWeight(2 - delta)};
  int32_t first = floor - 1;
  if (first < low || first + kTaps > high) {
    double sum = 0;
    for (int t = 0; t < kTaps; ++t) {
      if (first + t < low || first + t >= high) weights[t] = 0;
      sum += weights[t];
    }
    for (double& weight : weights) weight /= sum;
    // A kernel may read beyond the end, but not before the beginning.
    for (; first < low; ++first) {
      std::copy(weights + 1, weights + kTaps, weights);
      weights[kTaps - 1] = 0;
    }
  }
  Taps taps;
  taps.first = first;
  int32_t left = 1 << kWeightBits;
  int largest = 0;
  for (int t = 0; t < kTaps; ++t) {
    taps.weights[t] = Quantize(weights[t]);
    left -= taps.weights[t];
    if (weights[t] > weights[largest]) largest = t;
  }
  // An even surface stays exactly what it is.
  taps.weights[largest] = static_cast<int16_t>(taps.weights[largest] + left);
  return taps;
}

void PlanAxis(double begin, double length, int32_t limit, int32_t count,
              std::vector<Taps>& plan) {
  const int32_t low = static_cast<int32_t>(std::floor(begin));
  const int32_t high =
      std::min(limit, static_cast<int32_t>(std::ceil(begin + length)));
  const double scale = length / count;
  plan.resize(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i) {
    plan[static_cast<size_t>(i)] =
        MakeTaps((i + 0.5) * scale + begin - 0.5, low, high);
  }
}

void BlendRowsPlain(const uint8_t* const rows[kTaps],
                    const std::array<int16_t, kTaps>& weights, int64_t count,
                    int16_t* out) {
  constexpr int kShift = kWeightBits - kFractionBits;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t sum = rows[0][i] * weights[0] + rows[1][i] * weights[1] +
                        rows[2][i] * weights[2] + rows[3][i] * weights[3];
    out[i] = static_cast<int16_t>((sum + (1 << (kShift - 1))) >> kShift);
  }
}

void BlendColumnsPlain(const int16_t* row, const Taps* taps, int32_t width,
                       int channels, uint8_t* out) {
  constexpr int kShift = kWeightBits + kFractionBits;
  for (int32_t x = 0; x < width; ++x) {
    const int16_t* source = row + int64_t{taps[x].first} * channels;
    const std::array<int16_t, kTaps>& weights = taps[x].weights;
    for (int c = 0; c < channels; ++c) {
      const int32_t sum = source[c] * weights[0] +
                          source[c + channels] * weights[1] +
                          source[c + 2 * channels] * weights[2] +
                          source[c + 3 * channels] * weights[3];
      *out++ = static_cast<uint8_t>(
          std::clamp((sum + (1 << (kShift - 1))) >> kShift, 0, 255));
    }
  }
}

}  // namespace

ResizeKernels PlainKernels() { return {BlendRowsPlain, BlendColumnsPlain}; }

ResizeKernels BestKernels() {
#if XLA_BYOL_RESIZE_AVX2
  if (__builtin_cpu_supports("avx2")) return {BlendRowsAvx2, BlendColumnsAvx2};
#endif
  return PlainKernels();
}

}  // namespace internal

void Resizer::Resize(const ImageView& source, const ResizeWindow& window,
                     ImageSize size, bool flip, uint8_t* out) {
  using internal::Taps;
  internal::PlanAxis(window.x, window.width, source.size.width, size.width,
                     columns_);
  internal::PlanAxis(window.y, window.height, source.size.height, size.height,
                     rows_);
  if (flip) std::reverse(columns_.begin(), columns_.end());

  // Only the columns that the window needs are blended.
  const int32_t left = static_cast<int32_t>(std::floor(window.x));
  const int32_t right =
      std::min(source.size.width,
               static_cast<int32_t>(std::ceil(window.x + window.width)));
  for (Taps& taps : columns_) taps.first -= left;
  const int64_t count = int64_t{right - left} * source.channels;
  // Taps of weight 0 reach three pixels beyond, vector loads 16 bytes.
  blended_.resize(static_cast<size_t>(count + 3 * source.channels + 8));

  const uint8_t* base = source.data + int64_t{left} * source.channels;
  const int64_t out_stride = int64_t{size.width} * source.channels;
  for (const Taps& taps : rows_) {
    const uint8_t* rows[internal::kTaps];
    for (int t = 0; t < internal::kTaps; ++t) {
      const int32_t y = std::min(taps.first + t, source.size.height - 1);
      rows[t] = base + y * source.stride;
    }
    kernels_.rows(rows, taps.weights, count, blended_.data());
    kernels_.columns(blended_.data(), columns_.data(), size.width,
                     source.channels, out);
    out += out_stride;
  }
}

}  // namespace xla_byol::input
