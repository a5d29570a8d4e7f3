#include "xla_byol/byol/spectrum.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace xla_byol {
namespace {

// A square matrix, row by row.
struct Matrix {
  double& at(size_t i, size_t j) { return values[i * side + j]; }

  size_t side;
  std::vector<double> values;
};

// Rotates rows and columns p and q so that entry (p, q) becomes 0.
void Rotate(Matrix& m, size_t p, size_t q) {
  const double theta = (m.at(q, q) - m.at(p, p)) / (2 * m.at(p, q));
  const double t =
      std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
  const double c = 1 / std::hypot(t, 1.0);
  const double s = t * c;
  for (size_t k = 0; k < m.side; ++k) {
    const double kp = m.at(k, p), kq = m.at(k, q);
    m.at(k, p) = c * kp - s * kq;
    m.at(k, q) = s * kp + c * kq;
  }
  for (size_t k = 0; k < m.side; ++k) {
    const double pk = m.at(p, k), qk = m.at(q, k);
    m.at(p, k) = c * pk - s * qk;
    m.at(q, k) = s * pk + c * qk;
  }
}

double Quantile(const std::vector<double>& falling, double share) {
  const double place = (1 - share) * static_cast<double>(falling.size() - 1);
  const size_t below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, falling.size() - 1);
  const double part = place - static_cast<double>(below);
  return falling[below] + part * (falling[above] - falling[below]);
}

}  // namespace

std::vector<double> SymmetricEigenvalues(absl::Span<const float> matrix) {
  const size_t side = static_cast<size_t>(
      std::llround(std::sqrt(static_cast<double>(matrix.size()))));
  Matrix m{side, std::vector<double>(side * side)};
  double squares = 0;
  for (size_t i = 0; i < side; ++i) {
    for (size_t j = 0; j < side; ++j) {
      m.at(i, j) = 0.5 * (static_cast<double>(matrix[i * side + j]) +
                          static_cast<double>(matrix[j * side + i]));
      squares += m.at(i, j) * m.at(i, j);
    }
  }
  if (!std::isfinite(squares)) {
    return std::vector<double>(side, std::numeric_limits<double>::quiet_NaN());
  }
  // Sweeps converge quadratically: ten or so for any size. An entry this small
  // moves no eigenvalue by more than f32 input could tell.
  const double negligible = 1e-13 * std::sqrt(squares);
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < 50; ++sweep) {
    rotated = false;
    for (size_t p = 0; p < side; ++p) {
      for (size_t q = p + 1; q < side; ++q) {
        if (std::abs(m.at(p, q)) <= negligible) continue;
        Rotate(m, p, q);
        rotated = true;
      }
    }
  }
  std::vector<double> eigenvalues;
  for (size_t i = 0; i < side; ++i) eigenvalues.push_back(m.at(i, i));
  std::sort(eigenvalues.rbegin(), eigenvalues.rend());
  return eigenvalues;
}

Spectrum SpectrumOf(absl::Span<const float> covariance) {
  std::vector<double> values = SymmetricEigenvalues(covariance);
  Spectrum spectrum;
  if (values.empty()) return spectrum;
  spectrum.largest = values[0];
  // A zero covariance has a spectrum of zeros, not of NaN.
  const double divisor = values[0] == 0 ? 1.0 : values[0];
  for (double& value : values) {
    value = std::max(value / divisor, 0.0);  // rounding may leave -1e-9
    if (std::isnan(divisor)) value = divisor;
  }
  spectrum.quantile25 = Quantile(values, 0.25);
  spectrum.quantile50 = Quantile(values, 0.50);
  spectrum.quantile75 = Quantile(values, 0.75);
  if (std::isnan(divisor)) return spectrum;
  for (const double value : values) {
    const int bin = std::min(static_cast<int>(value * Spectrum::kBins),
                             Spectrum::kBins - 1);
    spectrum.histogram[static_cast<size_t>(bin)] +=
        1.0 / static_cast<double>(values.size());
  }
  return spectrum;
}

}  // namespace xla_byol
