#include "xla_byol/nn/initialize.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "xla_byol/base/philox.h"

namespace xla_byol::nn {
namespace {

// FNV-1a: stable for ever, unlike std::hash and absl::Hash.
uint64_t HashPath(absl::string_view path) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : path) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

// The normal distribution function at -2: the share that is cut off below.
constexpr double kCutOff = 0.022750131948179195;

}  // namespace

double InverseNormal(double p) {
  constexpr double kLowest = 0.02425;
  constexpr double kCentralTop[] = {
      -3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
      1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double kCentralBottom[] = {
      -5.447609879822406e+01, 1.615858368580409e+02,  -1.556989798598866e+02,
      6.680131188771972e+01,  -1.328068155288572e+01, 1.0};
  constexpr double kTailTop[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                                 -2.400758277161838e+00, -2.549732539343734e+00,
                                 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double kTailBottom[] = {
      7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
      3.754408661907416e+00, 1.0};
  const auto polynomial = [](absl::Span<const double> c, double x) {
    double sum = 0;
    for (const double coefficient : c) sum = sum * x + coefficient;
    return sum;
  };
  if (p < kLowest) {
    const double q = std::sqrt(-2 * std::log(p));
    return polynomial(kTailTop, q) / polynomial(kTailBottom, q);
  }
  if (p > 1 - kLowest) return -InverseNormal(1 - p);
  const double q = p - 0.5;
  return q * polynomial(kCentralTop, q * q) / polynomial(kCentralBottom, q * q);
}

void InitializeTensor(const Initializer& initializer, uint64_t seed,
                      absl::string_view path, absl::Span<float> tensor) {
  switch (initializer.kind) {
    case Initializer::Kind::kConstant:
      std::fill(tensor.begin(), tensor.end(),
                static_cast<float>(initializer.value));
      return;
    case Initializer::Kind::kIdentity: {
      const size_t side =
          static_cast<size_t>(std::lround(std::sqrt(tensor.size())));
      std::fill(tensor.begin(), tensor.end(), 0.0f);
      for (size_t i = 0; i < side; ++i) tensor[i * side + i] = 1.0f;
      return;
    }
    case Initializer::Kind::kTruncatedNormal:
      break;
  }
  const uint64_t hash = HashPath(path);
  const uint32_t low = static_cast<uint32_t>(hash);
  const uint32_t high = static_cast<uint32_t>(hash >> 32);
  for (size_t i = 0; i < tensor.size(); i += 4) {
    const uint64_t block = i / 4;
    const PhiloxBlock words =
        Philox(seed, {static_cast<uint32_t>(block),
                      static_cast<uint32_t>(block >> 32), low, high});
    for (size_t k = 0; k < std::min<size_t>(4, tensor.size() - i); ++k) {
      // Centred, so that the distribution is symmetric and 0 and 1 never come.
      const double uniform = UnitUniform(words[k]) + 0x1p-33;
      const double p = kCutOff + (1 - 2 * kCutOff) * uniform;
      tensor[i + k] = static_cast<float>(initializer.value * InverseNormal(p));
    }
  }
}

}  // namespace xla_byol::nn
